import { partitionKey, warnOfRawAddress } from "../partition/partition-key.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { type Cost, costsOf } from "./cost.ts";
import type { PolicyGroup } from "./groups.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import type { PartitionRequest } from "./step.ts";

/**
 * The client that is counted: a string, or, if policies have `by`, an object with a string for each dimension. A policy
 * whose dimension is absent or `undefined` takes no part in the decision; a dimension that no policy uses is ignored.
 * An object that is typed by an `interface` does not fit; use a `type`. The dimension `ip` is an address, and counts as
 * `clientKey()` makes it: IPv6 by its /64.
 *
 * @example
 * const client: Identity = { ip: "203.0.113.7", key: "k_123" };
 */
export type Identity = string | Dimensioned;
export type Dimensioned = Readonly<Record<string, string | undefined>>;

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

/**
 * The properties that the policies of a group have in common: the dimension, the number of shards, whether they give
 * units back, and whether they are in shadow.
 */
type Column = Pick<CompiledPolicy, "by" | "shards" | "refundable" | "mode">;

/** The groups of a limiter's policies. */
export function groupsOf(context: LimiterContext<CoreSettings>): readonly PolicyGroup[] {
  const { policies } = context.settings;
  return policies
    .filter((policy, i) => policies.findIndex(isIn(policy)) === i)
    .map((column) => context.group(policies.filter(isIn(column))));
}

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

/** Whether a policy is in a column. */
function isIn({ by, shards, refundable, mode }: Column): (policy: CompiledPolicy) => boolean {
  return (policy) =>
    policy.by === by &&
    policy.shards === shards &&
    policy.refundable === refundable &&
    (policy.mode === "shadow") === (mode === "shadow");
}
