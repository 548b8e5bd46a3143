import { TidegateError } from "../options/errors.ts";
import { isRecord } from "../options/record.ts";
import { escape, hash, UNSAFE_ONCE } from "../partition/key-text.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { reportOnce } from "../runtime/log.ts";
import type { PolicyGroup } from "./groups.ts";
import { type CoreSettings, groupsOf, type LimiterContext } from "./limiter-context.ts";
import type { Cost, Identity } from "./limiter-types.ts";
import type { PartitionRequest } from "./step.ts";

/**
 * Finds the groups of policies that count an identity. Only a long identity makes the result a promise.
 *
 * @throws TidegateError its functions throw `ERR_IDENTITY` and `ERR_COST`
 */
export interface Identify {
  /** The groups that decide its requests, at this cost. */
  groupsFor(identity: Identity, cost: Cost | undefined): Groups | Promise<Groups>;
  /**
   * The groups that count only this identity; groups that all clients share are included only if the identity names
   * `*`.
   */
  ownGroupsFor(identity: Identity): Groups | Promise<Groups>;
}

export type Groups = readonly PartitionRequest[];

/** A group, asked for a partition. */
export function askedOf(
  group: PolicyGroup,
  partition: string,
  cost: Cost | undefined,
  policies: readonly CompiledPolicy[],
): PartitionRequest {
  return { group, partition, costs: costsOf(cost, group, policies) };
}

/** For policies without `by`: all of them count the same text. */
export function byText(context: LimiterContext<CoreSettings>): Identify {
  const { policies } = context.settings;
  const groups = groupsOf(context);
  const [only] = groups;
  const all = (key: string, cost: Cost | undefined) =>
    groups.length === 1
      ? [askedOf(only!, key, cost, policies)]
      : groups.map((group) => askedOf(group, key, cost, policies));

  function groupsFor(identity: Identity, cost?: Cost): Groups | Promise<Groups> {
    const key = partitionKey(identity as string);
    warnOfRawAddress(identity as string);
    return typeof key === "string" ? all(key, cost) : key.then((hashed) => all(hashed, cost));
  }
  return { groupsFor, ownGroupsFor: groupsFor };
}

/** The options of a call that takes units. */
export const CALL_OPTIONS = ["cost", "plan"];

/** @throws TidegateError `ERR_COST` for an unknown option: a misspelt `cost` would silently become 1 */
export function checkCallOptions(
  options: object | null | undefined,
  known: readonly string[],
): void {
  for (const key in options) {
    if (!known.includes(key) && options[key as never] !== undefined) {
      refuse(`option is \`${known.join("` or `")}\``, key);
    }
  }
  if (options !== undefined && options !== null && Object(options) !== options) {
    refuse("options must be an object, { cost }", options);
  }
}

/**
 * The cost for each policy of a group.
 *
 * @param all every policy that a cost may name
 * @param unnamed the costs of policies that `cost` does not name. Default: one unit each
 * @throws TidegateError `ERR_COST`
 */
export function costsOf(
  cost: Cost | undefined,
  { policies, defaultCosts }: Pick<PolicyGroup, "policies" | "defaultCosts">,
  all: readonly CompiledPolicy[],
  unnamed: readonly number[] = defaultCosts,
): readonly number[] {
  if (cost === undefined) return unnamed;
  if (!isRecord(cost)) {
    checkCost(cost);
    return policies.map(
      ({ implementation }, i) => defaultCosts[i]! * (implementation.hasSlots ? 1 : cost),
    );
  }
  for (const [name, units] of Object.entries(cost)) {
    if (!all.some((policy) => policy.name === name))
      refuse("cost must name policies of the limiter", name);
    checkCost(units);
  }
  return policies.map(({ name, implementation }, i) => {
    if (!Object.hasOwn(cost, name)) return unnamed[i]!;
    return defaultCosts[i]! * (implementation.hasSlots ? Math.min(1, cost[name]!) : cost[name]!);
  });
}

/** @throws TidegateError `ERR_COST` */
export function checkCost(cost: unknown): void {
  if (!Number.isSafeInteger(cost) || Number(cost) < 0) {
    refuse("cost must be a whole number of units from 0", cost);
  }
}

function refuse(rule: string, value: unknown): never {
  const shown = Object(value) === value ? "an object" : String(value);
  throw new TidegateError("ERR_COST", `The ${rule}, not ${shown}.`);
}

/**
 * The longest identity that appears in a key unhashed: an IPv6 prefix, a UUID or an e-mail address fits, and a key
 * cannot grow without bound.
 */
const MAX_LENGTH = 128;

/**
 * The partition key of an identity: the text between the braces of its Redis keys. Different identities never share
 * one. Only an identity over 128 characters is hashed, and only then is the result a promise.
 *
 * @throws TidegateError `ERR_IDENTITY` for anything but a string of at least one character
 */
export function partitionKey(identity: string): string | Promise<string> {
  if (typeof identity !== "string" || identity === "") {
    throw new TidegateError(
      "ERR_IDENTITY",
      `The identity must be a string of at least one character, not ${identity === "" ? "an empty one" : typeof identity}: decide what a request without identity gets before the limiter is asked.`,
    );
  }
  if (identity.length <= MAX_LENGTH) {
    // Most identities need no escape, and the test is cheaper than a copy.
    if (!UNSAFE_ONCE.test(identity)) return identity;
    const escaped = escape(identity);
    if (escaped.length <= MAX_LENGTH) return escaped;
  }
  return hash(identity).then((hashed) => `#${hashed}`);
}

/** Written like an address of IPv6: a rough look, so that `limit()` ships no parser for a warning. */
const RAW_IPV6 = /^(?=.*::|(?:[^:]*:){7}[^:]*$)[\da-f:.]+$/i;

/** The number of identities that an isolate checks: an application either passes raw addresses or does not. */
const LOOKED_AT = 1_000;
let looked = 0;

/** Warns once about an identity that is a raw IPv6 address: each of a subscriber's 2^64 would have a quota of its own. */
export function warnOfRawAddress(identity: string): void {
  if (looked === LOOKED_AT) return;
  looked++;
  if (!RAW_IPV6.test(identity)) return;
  looked = LOOKED_AT;
  reportOnce(
    "An identity is a raw IPv6 address, and one client has 2^64 of them: pass clientKey(address), which counts its /64.",
  );
}
