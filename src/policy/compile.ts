import { type Implementation, IMPLEMENTATION, type Times } from "../algorithms/implementation.ts";
import type { Faults } from "../options/faults.ts";
import { positiveInteger } from "../options/positive-integer.ts";
import { didYouMean } from "../options/unknown-options.ts";
import { ANY_ALGORITHM, type PolicyChecks } from "./any-algorithm.ts";
import type { Algorithm, FailureVerdict, Policy } from "./policy.ts";

/** A policy checked, with everything computed that a request would otherwise compute. */
export interface CompiledPolicy extends Pick<Times, "parameters"> {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly implementation: Implementation;
  readonly limit: number;
  /** Seconds, as `w` on the wire but unrounded; for a token bucket the time it takes to refill. */
  readonly window: number;
  readonly onFailure: FailureVerdict | undefined;
  /** Ends its keys. */
  readonly key: string;
  /** How long its key is kept after a write, as its script takes it. */
  readonly ttl: number;
  /** This policy's item of `RateLimit-Policy`. */
  readonly field: string;
}

/** A request that more policies decide than this is a mistake; each is work inside one Redis script. */
const MAX_POLICIES = 16;

/** What to do about policies that are none; what is configured in data says it in its own language. */
export const LIST_REMEDY = `Give a list of 1 to ${MAX_POLICIES} policies, such as [tokenBucket({ ... })].`;
export const POLICY_REMEDY = "Give a policy made by tokenBucket() or one of the other builders.";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const VERDICTS: readonly unknown[] = ["open", "closed", "local"];

/** Checks a list of policies and compiles it; every fault is added under its path. */
export function compilePolicies(
  policies: unknown,
  path: string,
  faults: Faults,
): readonly CompiledPolicy[] {
  if (!Array.isArray(policies) || policies.length === 0 || policies.length > MAX_POLICIES) {
    faults.add(path, policies, LIST_REMEDY);
    return [];
  }
  const paths = new Map<string, string>();
  // Not map(), which passes over the holes of a list.
  return Array.from(policies, (policy: unknown, index) => {
    const at = `${path}[${index}]`;
    const compiled = compilePolicy(policy, at, faults);
    if (!compiled) return [];
    const earlier = paths.get(compiled.name);
    if (earlier !== undefined) {
      faults.add(
        `${at}.name`,
        compiled.name,
        `${earlier} has this name, too: give each policy its own, or both would share one count.`,
      );
    }
    paths.set(compiled.name, at);
    return compiled;
  }).flat();
}

/** Without a known algorithm there is no policy, but whatever else is wrong with it is said all the same. */
function compilePolicy(input: unknown, path: string, faults: Faults): CompiledPolicy | undefined {
  const policy = input as Policy | null | undefined;
  const algorithm = policy?.algorithm;
  const implementation = policy?.[IMPLEMENTATION];
  if (!policy || !implementation || implementation.name !== algorithm) {
    faults.add(
      algorithm === undefined ? path : `${path}.algorithm`,
      algorithm === undefined ? input : algorithm,
      POLICY_REMEDY,
    );
    // An object of no string, such as a symbol, has no name to say it by.
    if (typeof algorithm === "string") checkPolicy(policy!, ANY_ALGORITHM, path, faults);
    return undefined;
  }
  const { limit, name, comesTo } = checkPolicy(policy, implementation, path, faults);
  const { onFailure } = policy;
  return completePolicy({ name, algorithm, implementation, limit, onFailure }, comesTo);
}

function checkPolicy(
  policy: Policy,
  { maxLimit, limitHint, options, times }: PolicyChecks,
  path: string,
  faults: Faults,
) {
  const { algorithm, onFailure } = policy;
  const known = ["algorithm", "limit", "name", "onFailure", ...options];
  for (const [key, value] of Object.entries(policy)) {
    if (known.includes(key)) continue;
    faults.add(
      `${path}.${key}`,
      value,
      `${didYouMean(key, known)}A ${algorithm} has ${known.join(", ")}, and nothing else.`,
    );
  }
  const limit = positiveInteger(policy.limit, maxLimit, `${path}.limit`, faults, limitHint);
  if (onFailure !== undefined && !VERDICTS.includes(onFailure)) {
    faults.add(`${path}.onFailure`, onFailure, 'Use "open", "closed" or "local".');
  }
  const comesTo = times(policy, limit, path, faults);
  const name = nameOf(policy, path, faults);
  return { limit, name, comesTo };
}

/** A policy with all that follows from its numbers. */
export function completePolicy(
  policy: Omit<CompiledPolicy, "window" | "parameters" | "key" | "ttl" | "field">,
  times: Times,
): CompiledPolicy {
  const { name, limit, implementation } = policy;
  const window = times.windowMicroseconds / 1e6;
  return {
    ...policy,
    window,
    parameters: times.parameters,
    key: `${name}:${implementation.code}`,
    ttl: implementation.ttl(times),
    field: `"${name}";q=${limit};w=${Math.max(1, Math.ceil(window))}`,
  };
}

function nameOf(policy: Policy, path: string, faults: Faults): string {
  const { name, algorithm, limit } = policy;
  if (name === undefined) {
    const times =
      algorithm === "token-bucket" ? [policy.refill, "per", policy.per] : [policy.window];
    const parts: unknown[] = [algorithm, limit, ...times];
    // Of faulty numbers comes no name, but their faults are told already.
    return parts.map((part) => (Object(part) === part ? "" : String(part))).join("-");
  }
  if (typeof name === "string" && NAME.test(name)) return name;
  faults.add(
    `${path}.name`,
    name,
    "Use 1 to 64 ASCII letters, digits, dots, underscores or dashes, the first a letter or digit.",
  );
  // So that two faulty names are not taken for the same.
  return path;
}
