import {
  type Implementation,
  IMPLEMENTATION,
  MAX_LIMIT,
  type OptionKind,
  type Quota,
} from "../algorithms/algorithm.ts";
import { WINDOW_RANGE } from "../algorithms/window.ts";
import { checkDuration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import {
  BOOLEAN,
  NAME as NAME_FAULT,
  POLICY,
  POLICY_LIST,
  SAME_NAME,
} from "../options/messages.ts";
import { OF_POLICIES, refuseNames } from "../options/names-elsewhere.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkOptions } from "../options/unknown-options.ts";
import type { Policy } from "./policy.ts";
import { checkTraits, type PolicyTraits, TRAITS, traitsOf } from "./traits.ts";

/** A checked policy with all values derived from its numbers, computed once. */
export interface CompiledPolicy extends PolicyTraits, Quota<Readonly<Record<string, number>>> {
  /** The end of its keys. */
  readonly key: string;
  /** Its group of the script's arguments: algorithm, limit, two parameters. */
  readonly scriptArguments: readonly string[];
  /** Its item of the `RateLimit-Policy` field. */
  readonly field: string;
  /** Only for a shard: the whole policy, whose quota clients see. */
  readonly unsharded?: CompiledPolicy;
  /** The policy that one region enforces alone while home gives no answer; absent if `onFailure` decides then. */
  readonly share?: CompiledPolicy;
}

/** The parts of a policy that a store with models needs. */
export type CountedPolicy = Pick<
  CompiledPolicy,
  "key" | "algorithm" | "implementation" | "limit" | "parameters" | "role"
>;

/** More policies per request than this are a mistake; each is work inside one Redis script. */
export const MAX_POLICIES = 16;

/** The greatest number that a structured header field can have. */
export const MAX_FIELD_INTEGER = 1e15 - 1;

/** A policy's name, in keys and header fields. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const COMMON = ["algorithm", "limit", "name", ...TRAITS];

/** Plain options for which only values stand: people do not write them. */
const STOOD_FOR = ["algorithm", "mode", "onNotice", "timeZone", "anchor"];

/** Checks options of a policy that not every caller has. */
export type CheckMore = (policy: Policy, path: string, faults: Faults) => void;

/** Checks a list of policies and compiles it; adds every fault under its path. */
export function compilePolicies(
  policies: unknown,
  path: string,
  faults: Faults,
  checkMore?: CheckMore,
): readonly CompiledPolicy[] {
  if (!Array.isArray(policies) || policies.length === 0 || policies.length > MAX_POLICIES) {
    faults.add(path, policies, POLICY_LIST, MAX_POLICIES);
    return [];
  }
  const paths = new Map<string, string>();
  // Array.from visits the holes of a list, map() does not.
  return Array.from(policies, (policy: unknown, index) => {
    const at = `${path}[${index}]`;
    const compiled = compilePolicy(policy, at, faults, checkMore);
    if (!compiled) return [];
    const earlier = paths.get(compiled.name);
    if (earlier !== undefined) {
      faults.add(`${at}.name`, compiled.name, SAME_NAME, earlier);
    }
    paths.set(compiled.name, at);
    return compiled;
  }).flat();
}

/** Checks a policy and compiles it; `undefined` after a fault that makes the rest meaningless. */
export function compilePolicy(
  input: unknown,
  path: string,
  faults: Faults,
  checkMore?: CheckMore,
): CompiledPolicy | undefined {
  const policy = input as Policy | null | undefined;
  const algorithm = policy?.algorithm;
  const implementation = policy?.[IMPLEMENTATION];
  if (!policy || !implementation || implementation.name !== algorithm) {
    faults.add(
      algorithm === undefined ? path : `${path}.algorithm`,
      algorithm === undefined ? input : algorithm,
      POLICY,
    );
    if (typeof algorithm === "string") {
      checkCommon(policy!, MAX_LIMIT, path, faults);
      checkMore?.(policy!, path, faults);
    }
    return undefined;
  }
  const { maxLimit, limitHint, options } = implementation;
  const known = [...COMMON, ...Object.keys(options)];
  checkOptions(
    refuseNames(policy, OF_POLICIES, `${path}.`, faults),
    known,
    `${path}.`,
    faults,
    known.filter((name) => !STOOD_FOR.includes(name)),
  );
  const { limit, name } = checkCommon(policy, maxLimit, path, faults, limitHint);
  checkMore?.(policy, path, faults);
  const values: Record<string, number> = {};
  for (const [name, kind] of Object.entries(options)) {
    values[name] = valueOf(policy[name as keyof Policy], kind, `${path}.${name}`, faults);
  }
  const quota = implementation.quotaOf(limit, values, path, faults, policy);
  const traits = traitsOf(policy, implementation);
  return completePolicy(
    { ...traits, name: name ?? defaultName(policy, implementation), algorithm, implementation },
    quota,
  );
}

/** Checks the options that a policy of any algorithm has; after a fault, the answer has values to go on with. */
function checkCommon(
  policy: Policy,
  maxLimit: number,
  path: string,
  faults: Faults,
  limitHint?: string,
): { readonly limit: number; readonly name: string | undefined } {
  const { limit, name } = policy;
  const units = checkPositiveInteger(limit, maxLimit, `${path}.limit`, faults, limitHint) ?? 1;
  checkTraits(policy, path, faults);
  if (name === undefined || (typeof name === "string" && NAME.test(name))) {
    return { limit: units, name };
  }
  faults.add(`${path}.name`, name, NAME_FAULT);
  // The path, so that two faulty names are not reported as equal.
  return { limit: units, name: path };
}

/** An option's value as a number; after a fault, one that other checks can go on with. */
function valueOf(setting: unknown, kind: OptionKind, path: string, faults: Faults): number {
  if (kind.kind === "own") return 0;
  const value = setting === undefined ? kind.default : setting;
  if (kind.kind === "duration")
    return checkDuration(value, kind.range ?? WINDOW_RANGE, path, faults) ?? 1e6;
  if (kind.kind === "boolean") return Number(checkBoolean(value, path, faults) ?? kind.default);
  return checkPositiveInteger(value, kind.max, path, faults) ?? 1;
}

function checkBoolean(value: unknown, path: string, faults: Faults): boolean | undefined {
  if (typeof value === "boolean") return value;
  faults.add(path, value, BOOLEAN);
  return undefined;
}

/** Completes a policy with all values derived from its quota. */
export function completePolicy(
  traits: PolicyTraits,
  quota: Quota<Readonly<Record<string, number>>>,
): CompiledPolicy {
  const { name, algorithm, implementation } = traits;
  const { limit, windowUs, parameters } = quota;
  const { code, layout, parameters: order } = implementation;
  const seconds = Math.max(1, Math.ceil(windowUs / 1e6));
  return {
    ...traits,
    ...quota,
    key: [`${name}:${code}${layout > 1 ? layout : ""}`, ...implementation.meaning(quota)].join(":"),
    scriptArguments: [algorithm, limit, ...order.map((each) => parameters[each]!)].map(String),
    field: `"${name}";q=${Math.min(limit, MAX_FIELD_INTEGER)};w=${seconds}`,
  };
}

/** A policy's own name, else its default one; empty if it is no policy. */
export function nameOf(policy: Policy): string {
  const { name, [IMPLEMENTATION]: implementation } = Object(policy) as Policy;
  return name ?? (implementation ? defaultName(policy, implementation) : "");
}

/** Made from the numbers. Faulty ones make no name, but their faults are reported already. */
function defaultName(policy: Policy, { nameParts }: Implementation): string {
  const parts: unknown[] = [policy.algorithm, policy.limit, ...nameParts({ ...policy })];
  return parts.map((value) => (Object(value) === value ? "" : String(value))).join("-");
}
