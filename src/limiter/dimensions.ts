import { TidegateError } from "../errors/errors.ts";
import { warnOfRawAddress } from "../partition/client-key.ts";
import { ipPartition } from "../partition/ip-address.ts";
import { EVERYBODY, partitionKey } from "../partition/partition-key.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { shardsOf } from "../policy/shards.ts";
import { setRecent } from "../runtime/lru.ts";
import type { DecisionPath } from "./decision-path.ts";
import { type PolicyGroup, select, type Selection } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";

/**
 * Who is counted: a string; where policies have `by`, an object with a string for each dimension. A policy whose dimension is
 * absent or `undefined` takes no part in the decision, and a name that no policy counts by is ignored. An object that is
 * typed by an `interface` does not fit; use a `type`. The dimension `ip` is an address, and counts as `clientKey()` makes it:
 * IPv6 by its /64.
 *
 * @example
 * const client: Identity = { ip: "203.0.113.7", key: "k_123" };
 */
export type Identity = string | Dimensioned;
type Dimensioned = Readonly<Record<string, string | undefined>>;

/** The policies that count an identity, and its partition key in each of their groups. */
export interface Partitioned {
  readonly selection: Selection;
  readonly partitions: readonly string[];
}

/**
 * Which policies form a group: those of one dimension, split into equally many shards, and either all or none of which
 * may give back.
 */
type Column = Pick<CompiledPolicy, "by" | "shards" | "refundable">;

/** Finds the policies that count an identity. */
export interface Dimensions {
  /** Those that decide its requests. */
  of(identity: Identity, plan?: string): Partitioned | Promise<Partitioned>;
  /** Those that count it and nobody else: not those that count everybody, unless the identity names `*`. */
  own(identity: Identity): Partitioned | Promise<Partitioned>;
}

/** The dimension that is the client's address, as the source of that name reads it. */
const ADDRESS = "ip";

/** Combinations of dimensions and plans that are kept ready. */
const MAX_SELECTIONS = 1_000;

/**
 * Compiles what an identity is partitioned by.
 *
 * @throws TidegateError its functions throw `ERR_IDENTITY` and `ERR_PLAN`; only a long identity makes their results promises
 */
export function compileDimensions(
  path: DecisionPath,
  { policies, plans }: LimiterSettings,
): Dimensions {
  const columns = columnsIn(policies);
  const names = [...new Set(policies.map(({ by }) => by))];
  const groups = columns.map((column) => makeGroup(path, policies.filter(isIn(column))));
  const selections = new Map<string, Selection>();
  const whole = select(groups, policies);
  const everyColumn = [...groups.keys()];
  /** By plan and column, where a plan changes a policy of that column. */
  const changed = new Map<string, PolicyGroup>();

  function groupOf(column: number, plan: string | undefined): PolicyGroup {
    const base = groups[column]!;
    if (plan === undefined) return base;
    const members = plans.get(plan)!.filter(isIn(columns[column]!));
    if (members.every((policy) => policies.includes(policy))) return base;
    const key = `${plan}\n${column}`;
    const existing = changed.get(key);
    if (existing) return existing;
    const group = makeGroup(path, members);
    const others = [base, ...base.variants];
    for (const other of others) connect(group, other);
    changed.set(key, group);
    return group;
  }

  function selectionOf(among: readonly number[], plan: string | undefined): Selection {
    if (plan !== undefined && !plans.has(plan)) {
      throw new TidegateError("ERR_PLAN", `The limiter has no plan ${JSON.stringify(plan)}.`);
    }
    if (plan === undefined && among.length === columns.length) return whole;
    const key = `${among.join()}\n${plan ?? ""}`;
    const existing = selections.get(key);
    if (existing) return existing;
    const selection = select(
      among.map((column) => groupOf(column, plan)),
      plan === undefined ? policies : plans.get(plan)!,
    );
    setRecent(selections, key, selection, MAX_SELECTIONS);
    return selection;
  }

  /** The columns of the dimensions that take part, in the order of the policies. */
  function columnsOf(identity: Dimensioned, takesPart: TakesPart): readonly number[] {
    const found = everyColumn.filter((column) => takesPart(identity, columns[column]!.by!));
    if (found.length === 0) {
      throw new TidegateError(
        "ERR_IDENTITY",
        `The identity has none of the dimensions that policies count by: ${names.join(", ")}.`,
      );
    }
    return found;
  }

  if (names[0] === undefined) {
    const of = (identity: Identity, plan?: string) => {
      const selection = selectionOf(everyColumn, plan);
      const key = partitionKey(identity as string);
      warnOfRawAddress(identity as string);
      return typeof key === "string"
        ? { selection, partitions: columns.length === 1 ? [key] : columns.map(() => key) }
        : key.then((hashed) => ({ selection, partitions: columns.map(() => hashed) }));
    };
    return { of, own: of };
  }

  function find(
    identity: Identity,
    plan: string | undefined,
    takesPart: TakesPart,
  ): Partitioned | Promise<Partitioned> {
    if (typeof identity !== "object" || identity === null) {
      throw new TidegateError(
        "ERR_IDENTITY",
        `The identity must be an object with what policies count by: ${names.join(", ")}.`,
      );
    }
    const found = columnsOf(identity, takesPart);
    const selection = selectionOf(found, plan);
    const keys = found.map((column) => {
      const name = columns[column]!.by!;
      if (name.endsWith(EVERYBODY)) return EVERYBODY;
      const value = identity[name]!;
      // Other spellings of an address, and the other addresses of its /64, are the same client.
      return partitionKey(name === ADDRESS ? (ipPartition(value) ?? value) : value);
    });
    return keys.every((key) => typeof key === "string")
      ? { selection, partitions: keys }
      : Promise.all(keys).then((partitions) => ({ selection, partitions }));
  }

  return {
    of: (identity, plan) => find(identity, plan, decides),
    own: (identity) => find(identity, undefined, isNamed),
  };
}

/** Whether a dimension of policies takes part for this identity. */
type TakesPart = (identity: Dimensioned, dimension: string) => boolean;

const isNamed: TakesPart = (identity, dimension) =>
  Object.hasOwn(identity, dimension) && identity[dimension] !== undefined;

/** What counts everybody takes part in every decision. */
const decides: TakesPart = (identity, dimension) =>
  dimension === EVERYBODY || isNamed(identity, dimension);

/** The columns of a list of policies, in the order of their first policies. */
function columnsIn(policies: readonly CompiledPolicy[]): readonly Column[] {
  return policies.filter((policy, i) => policies.findIndex(isIn(policy)) === i);
}

/** Whether a policy is in a column. */
function isIn({ by, shards, refundable }: Column): (policy: CompiledPolicy) => boolean {
  return (policy) =>
    policy.by === by && policy.shards === shards && policy.refundable === refundable;
}

/** Makes a group, and one for each of its shards. Shards with equal limits are one group: their partition keys differ. */
function makeGroup(path: DecisionPath, members: readonly CompiledPolicy[]): PolicyGroup {
  const group = path.group(members);
  const count = members[0]!.shards;
  if (count === 1) return group;
  const split = members.map(shardsOf);
  const shards: PolicyGroup[] = [];
  for (let i = 0; i < count; i++) {
    const isLike = i > 0 && split.every((each) => each[i] === each[i - 1]);
    shards.push(isLike ? shards[i - 1]! : path.group(split.map((each) => each[i]!)));
  }
  return { ...group, shards };
}

/** Makes two groups variants of each other, and so their shards. */
function connect(group: PolicyGroup, other: PolicyGroup): void {
  group.variants.push(other);
  other.variants.push(group);
  for (const shard of new Set(group.shards)) {
    for (const another of new Set(other.shards)) connect(shard, another);
  }
}
