import {
  type FailureVerdict,
  type Implementation,
  IMPLEMENTATION,
  MAX_LIMIT,
  type OptionKind,
  type Quota,
} from "../algorithms/algorithm.ts";
import { WINDOW_RANGE } from "../algorithms/window.ts";
import { checkDuration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkOptions } from "../options/unknown-options.ts";
import type { Algorithm, Policy } from "./policy.ts";

/** A checked policy with everything that follows from its numbers, computed once. */
export interface CompiledPolicy extends Quota<Readonly<Record<string, number>>> {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly implementation: Implementation;
  /** Whether header fields and problem documents name it. */
  readonly advertise: boolean;
  readonly onFailure: FailureVerdict | undefined;
  /** The share by which a wait that a client is told may be lengthened; `undefined` if only the limiter says. */
  readonly retryJitter: number | undefined;
  /** The end of its keys. */
  readonly key: string;
  /** Its group of the script's arguments: algorithm, limit, two parameters, ttl. */
  readonly scriptArguments: readonly string[];
  /** Its item of the `RateLimit-Policy` field. */
  readonly field: string;
}

/** More policies per request than this are a mistake; each is work inside one Redis script. */
const MAX_POLICIES = 16;

/** Remedies for what is no policy. Configuration as data replaces them by its own syntax. */
export const LIST_REMEDY = `Give a list of 1 to ${MAX_POLICIES} policies, such as [tokenBucket({ ... })].`;
export const POLICY_REMEDY = "Give a policy made by tokenBucket() or one of the other builders.";

/** A policy's name, in keys and header fields. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const NAME_REMEDY =
  "Use 1 to 64 ASCII letters, digits, dots, underscores or dashes, the first a letter or digit.";
export const ADVERTISE_REMEDY = "Give true, or false to tell clients nothing of the policy.";
export const VERDICT_REMEDY =
  'Use "open", "closed" or "local", or { local: { share: 0.1 } } for a tenth of the limit in each isolate.';
export const SHARE_REMEDY =
  "Give a number above 0, up to 1: with 0.1, each isolate admits a tenth of the limit.";
export const JITTER_REMEDY =
  "Give a number from 0 to 1: with 0.1, clients are told to wait up to a tenth longer.";
const COMMON = ["algorithm", "limit", "name", "advertise", "onFailure", "retryJitter"];
const VERDICTS: readonly unknown[] = ["open", "closed", "local"];

/** Checks a list of policies and compiles it; adds every fault under its path. */
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
  // Array.from visits the holes of a list, map() does not.
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
    if (typeof algorithm === "string") checkCommon(policy!, MAX_LIMIT, path, faults);
    return undefined;
  }
  const { maxLimit, limitHint, options } = implementation;
  checkOptions(policy, [...COMMON, ...Object.keys(options)], `${path}.`, faults);
  const { limit, name } = checkCommon(policy, maxLimit, path, faults, limitHint);
  const { advertise = true, onFailure, retryJitter } = policy;
  const values: Record<string, number> = {};
  for (const [name, kind] of Object.entries(options)) {
    values[name] = valueOf(policy[name as keyof Policy], kind, `${path}.${name}`, faults);
  }
  const quota = implementation.quotaOf(limit, values, path, faults);
  return completePolicy(
    {
      name: name ?? defaultName(policy, implementation),
      algorithm,
      implementation,
      advertise,
      onFailure,
      retryJitter,
    },
    quota,
  );
}

/** Checks the options that a policy of any algorithm has; after a fault, the answer has values to go on with. */
function checkCommon(
  { limit, name, advertise, onFailure, retryJitter }: Policy,
  maxLimit: number,
  path: string,
  faults: Faults,
  limitHint?: string,
): { readonly limit: number; readonly name: string | undefined } {
  const units = checkPositiveInteger(limit, maxLimit, `${path}.limit`, faults, limitHint) ?? 1;
  if (advertise !== undefined && typeof advertise !== "boolean") {
    faults.add(`${path}.advertise`, advertise, ADVERTISE_REMEDY);
  }
  if (onFailure !== undefined) checkVerdict(onFailure, `${path}.onFailure`, faults);
  if (retryJitter !== undefined) checkRetryJitter(retryJitter, `${path}.retryJitter`, faults);
  if (name === undefined || (typeof name === "string" && NAME.test(name))) {
    return { limit: units, name };
  }
  faults.add(`${path}.name`, name, NAME_REMEDY);
  // The path, so that two faulty names are not reported as equal.
  return { limit: units, name: path };
}

/** Checks what is to decide while Redis gives no answer. */
export function checkVerdict(verdict: unknown, path: string, faults: Faults): void {
  if (VERDICTS.includes(verdict)) return;
  const share = soleValue(soleValue(verdict, "local"), "share");
  if (!Number.isFinite(share)) {
    faults.add(path, verdict, VERDICT_REMEDY);
  } else if (!((share as number) > 0 && (share as number) <= 1)) {
    faults.add(`${path}.local.share`, share, SHARE_REMEDY);
  }
}

/** The value under this key; `undefined` for anything but an object with no other key. */
function soleValue(given: unknown, key: string): unknown {
  if (typeof given !== "object" || given === null) return undefined;
  const keys = Object.keys(given);
  return keys.length === 1 && keys[0] === key ? (given as Record<string, unknown>)[key] : undefined;
}

/** Checks by how much waits may be lengthened. */
export function checkRetryJitter(jitter: unknown, path: string, faults: Faults): void {
  if (typeof jitter !== "number" || !(jitter >= 0 && jitter <= 1)) {
    faults.add(path, jitter, JITTER_REMEDY);
  }
}

/** An option's value as a number; after a fault, one that other checks can go on with. */
function valueOf(given: unknown, kind: OptionKind, path: string, faults: Faults): number {
  if (kind.kind === "duration") return checkDuration(given, WINDOW_RANGE, path, faults) ?? 1e6;
  const value = given === undefined ? kind.default : given;
  return checkPositiveInteger(value, kind.max, path, faults) ?? 1;
}

/** Completes a policy with everything that follows from its quota. */
export function completePolicy(
  policy: Omit<CompiledPolicy, keyof Quota<unknown> | "key" | "scriptArguments" | "field">,
  quota: Quota<Readonly<Record<string, number>>>,
): CompiledPolicy {
  const { name, algorithm, implementation, advertise, onFailure, retryJitter } = policy;
  const { limit, windowUs, parameters } = quota;
  const { code, ttl, parameters: order } = implementation;
  const seconds = Math.max(1, Math.ceil(windowUs / 1e6));
  return {
    ...quota,
    name,
    algorithm,
    implementation,
    advertise,
    onFailure,
    retryJitter,
    key: `${name}:${code}`,
    scriptArguments: [
      algorithm,
      ...[limit, ...order.map((each) => parameters[each]!), ttl(quota)].map(String),
    ],
    field: `"${name}";q=${limit};w=${seconds}`,
  };
}

/** Made from the numbers. Faulty ones make no name, but their faults are reported already. */
function defaultName(policy: Policy, { nameParts }: Implementation): string {
  const parts: unknown[] = [policy.algorithm, policy.limit, ...nameParts({ ...policy })];
  return parts.map((part) => (Object(part) === part ? "" : String(part))).join("-");
}
