import { type Implementation, IMPLEMENTATION, type Times } from "../algorithms/implementation.ts";
import type { Faults } from "../errors.ts";
import type { Algorithm, FailureVerdict, Policy } from "./policy.ts";
import { MAX_LIMIT, whole } from "./whole.ts";
import { windowTimes } from "./window.ts";

/** A policy checked, with everything computed that a request would otherwise compute. */
export interface CompiledPolicy extends Pick<Times, "parameters"> {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly implementation: Implementation;
  readonly limit: number;
  /** Seconds, as `w` on the wire but unrounded; for a token bucket the time it takes to refill. */
  readonly window: number;
  readonly onFailure: FailureVerdict | undefined;
  /** How long its key is kept after a write, in milliseconds, where the algorithm writes with every request. */
  readonly ttl: number;
  /** This policy's item of `RateLimit-Policy`. */
  readonly field: string;
}

/** What is not made by a builder brings no algorithm along. */
const BUILD = "Give a policy made by tokenBucket() or one of the other builders.";

/** Stands in where there is none, so that the rest is checked, too. Nothing ever counts by it. */
const MISSING = {
  name: "fixed-window",
  options: ["window"],
  maxLimit: MAX_LIMIT,
  beyond: "",
  lifetime: 0,
  times: windowTimes,
} as unknown as Implementation;

/** A request that more policies decide than this is a mistake; each is work inside one Redis script. */
const MAX_POLICIES = 16;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const VERDICTS: readonly unknown[] = ["open", "closed", "local"];

/** Checks a list of policies and compiles it; every fault is added under its path. */
export function compilePolicies(
  policies: unknown,
  path: string,
  faults: Faults,
): readonly CompiledPolicy[] {
  if (!Array.isArray(policies) || policies.length === 0 || policies.length > MAX_POLICIES) {
    faults.add(
      path,
      policies,
      `Give a list of 1 to ${MAX_POLICIES} policies, such as [tokenBucket({ ... })].`,
    );
    return [];
  }
  const paths = new Map<string, string>();
  // Not map(), which passes over the holes of a list.
  return Array.from(policies, (policy: unknown, index) => {
    const at = `${path}[${index}]`;
    const compiled = compilePolicy(policy, at, faults);
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
  });
}

function compilePolicy(input: unknown, path: string, faults: Faults): CompiledPolicy {
  if (typeof input !== "object" || input === null) {
    faults.add(path, input, BUILD);
    input = { algorithm: "fixed-window", limit: 1, window: "1s", [IMPLEMENTATION]: MISSING };
  }
  const policy = input as Policy;
  const { algorithm, onFailure } = policy;
  const implementation = implementationOf(policy, path, faults);
  const { maxLimit, beyond, times } = implementation;
  const limit = whole(policy.limit, maxLimit, `${path}.limit`, faults, beyond);
  if (onFailure !== undefined && !VERDICTS.includes(onFailure)) {
    faults.add(`${path}.onFailure`, onFailure, 'Use "open", "closed" or "local".');
  }
  const comesTo = times(policy, limit, path, faults);
  const name = nameOf(policy, path, faults);
  return completePolicy({ name, algorithm, implementation, limit, onFailure }, comesTo);
}

/** A policy with all that follows from its numbers. */
export function completePolicy(
  {
    name,
    algorithm,
    implementation,
    limit,
    onFailure,
  }: Omit<CompiledPolicy, "window" | "parameters" | "ttl" | "field">,
  { windowMicroseconds, parameters }: Times,
): CompiledPolicy {
  const window = windowMicroseconds / 1e6;
  return {
    name,
    algorithm,
    implementation,
    limit,
    window,
    onFailure,
    parameters,
    ttl: Math.ceil((implementation.lifetime * windowMicroseconds) / 1000) + 1,
    field: `"${name}";q=${limit};w=${Math.max(1, Math.ceil(window))}`,
  };
}

/** The implementation that a builder has put into a policy. */
function implementationOf(policy: Policy, path: string, faults: Faults): Implementation {
  const { algorithm, [IMPLEMENTATION]: implementation } = policy;
  if (!implementation || implementation.name !== algorithm) {
    faults.add(`${path}.algorithm`, algorithm, BUILD);
    return MISSING;
  }
  const known = ["algorithm", "limit", "name", "onFailure", ...implementation.options];
  for (const [key, value] of Object.entries(policy)) {
    if (known.includes(key)) continue;
    faults.add(
      `${path}.${key}`,
      value,
      `A ${algorithm} has ${known.join(", ")}, and nothing else.`,
    );
  }
  return implementation;
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
