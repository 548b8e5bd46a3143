import { type Decision, withError } from "../decision/decision.ts";
import { setRecent } from "../runtime/lru.ts";
import type { DecisionPath } from "./decision-path.ts";
import { failureOf, toFailure } from "./partial-charge.ts";
import { type PartitionedRequest, select, type Selection } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";

/** For each group of a request the shard that decides it; 0 for a group that is not split. */
interface Choice {
  readonly shards: readonly number[];
  /** Whether none of them is known to deny. */
  readonly isOpen: boolean;
}

/** Combinations of shards with unequal limits that are kept ready. */
const MAX_SELECTIONS = 1_000;

/**
 * A path that decides each request in one shard of every group that is split: one that is not known to deny, at random.
 * If only shards deny, it tries another once, because full shards are found out one by one and others may have room.
 */
export function throughShards(
  path: DecisionPath,
  { now, random }: Pick<LimiterSettings, "now" | "random">,
): DecisionPath {
  const selections = new WeakMap<Selection, Map<string, Selection>>();

  /** The selection of these shards. It differs from the whole one only in the groups and in what they enforce. */
  function selectionOf(whole: Selection, shards: readonly number[]): Selection {
    const groups = whole.groups.map((group, i) => group.shards?.[shards[i]!] ?? group);
    const known = selections.get(whole) ?? new Map<string, Selection>();
    selections.set(whole, known);
    const key = groups.map((group, i) => whole.groups[i]!.shards?.indexOf(group)).join();
    const selection = known.get(key) ?? {
      ...whole,
      groups,
      policies: groups.flatMap(({ policies }) => policies),
    };
    setRecent(known, key, selection, MAX_SELECTIONS);
    return selection;
  }

  function inShards(request: PartitionedRequest, shards: readonly number[]): PartitionedRequest {
    const { selection, partitions, costs, reservation } = request;
    return {
      selection: selectionOf(selection, shards),
      partitions: partitions.map((partition, i) =>
        selection.groups[i]!.shards ? shardKey(partition, shards[i]!) : partition,
      ),
      costs,
      reservation,
      whole: request,
    };
  }

  /**
   * Chooses a shard of each group: at random one that may have room, else the one that has room first.
   *
   * @param tried shards to leave out where another may have room
   */
  function choose(request: PartitionedRequest, tried?: readonly number[]): Choice {
    const nowMs = now();
    let isOpen = true;
    const shards = request.selection.groups.map(({ shards: { length } = [] }, group) => {
      if (length === 0) return 0;
      const waitOf = (shard: number) => knownWaitUs(request, group, shard, nowMs);
      // Most of the time this one may have room, and the others need not be looked at.
      const first = Math.floor(random() * length);
      if (first !== tried?.[group] && waitOf(first) === 0) return first;
      const waits = Array.from({ length }, (_, shard) => waitOf(shard));
      const open = [...waits.keys()].filter((i) => waits[i] === 0 && i !== tried?.[group]);
      if (open.length > 0) return open[Math.floor(random() * open.length)]!;
      isOpen = false;
      return waits.indexOf(Math.min(...waits));
    });
    return { shards, isOpen };
  }

  /**
   * Splits a charge into a part for every shard, because one that is full cannot carry what the others have room for. The
   * first part is for the shard that a request would have been sent to.
   */
  function spread(request: PartitionedRequest): readonly PartitionedRequest[] {
    const whole = request.whole ?? request;
    const { groups, groupOf } = whole.selection;
    const lengthOf = (group: number) => groups[group]!.shards?.length ?? 1;
    const most = Math.max(...groups.map((_, group) => lengthOf(group)));
    if (most === 1) return [request];
    const first = choose(whole).shards;
    return Array.from({ length: most }, (_, turn) => {
      const shards = first.map((shard, group) => (shard + turn) % lengthOf(group));
      const costs = request.costs.map((cost, i) => partOf(cost, turn, lengthOf(groupOf[i]!)));
      return { ...inShards(whole, shards), costs };
    }).filter(({ costs }) => costs.some((cost) => cost > 0));
  }

  /** Charges all shards side by side. Resolves with the decision of the first, or of the first that failed. */
  async function charge(request: PartitionedRequest): Promise<Decision> {
    const parts = spread(request);
    const decisions = await Promise.all(parts.map((part) => path.ask("charge", part)));
    const error = failureOf(
      parts,
      decisions.map((decision) => decision.error),
    );
    return error
      ? withError(
          decisions.find((decision) => decision.error)!,
          error,
        )
      : decisions[0]!;
  }

  async function chargeStore(request: PartitionedRequest): Promise<void> {
    const parts = spread(request);
    const charges = parts.map((part) => path.chargeStore(part).then(() => undefined, toFailure));
    const error = failureOf(parts, await Promise.all(charges));
    if (error) throw error;
  }

  /** A cost has to fit into every shard. The last one is the smallest. */
  function inSmallest(request: PartitionedRequest): PartitionedRequest {
    const last = request.selection.groups.map(({ shards: { length } = [] }) => length - 1);
    return inShards(request, last);
  }

  return {
    group: path.group,
    exceedsLimit: (request) => path.exceedsLimit(inSmallest(request)),

    async limit(request) {
      const smallest = inSmallest(request);
      if (path.exceedsLimit(smallest)) return path.limit(smallest);
      const first = choose(request);
      const decision = await path.limit(inShards(request, first.shards));
      if (!first.isOpen || !isDeniedByShards(request, decision)) return decision;
      const second = choose(request, first.shards);
      const other = await path.limit(inShards(request, second.shards));
      return other.allowed || other.retryAfterMs < decision.retryAfterMs ? other : decision;
    },

    chargeStore,

    ask: (operation, request) =>
      operation === "charge"
        ? charge(request)
        : path.ask(operation, inShards(request, choose(request).shards)),

    forget({ selection, partitions }) {
      const groups = selection.groups.flatMap((group) => group.shards ?? [group]);
      return path.forget({
        selection: select(groups, []),
        partitions: selection.groups.flatMap(
          ({ shards }, i) =>
            shards?.map((_, shard) => shardKey(partitions[i]!, shard)) ?? [partitions[i]!],
        ),
        costs: [],
      });
    },
  };
}

/** The part of a cost that a shard takes, by its turn: whole units, the first ones a unit more. */
function partOf(cost: number, turn: number, length: number): number {
  return turn < length ? Math.floor(cost / length) + Number(turn < cost % length) : 0;
}

/** The partition key of a shard. No identity has it: `#` is escaped, and begins the keys of hashed ones only. */
function shardKey(partition: string, shard: number): string {
  return `${partition}#${shard}`;
}

/** How long a shard is known to deny these costs, in microseconds; 0 if it may have room. */
function knownWaitUs(
  { selection: { groups, starts }, partitions, costs }: PartitionedRequest,
  group: number,
  shard: number,
  nowMs: number,
): number {
  const { denials } = groups[group]!.shards![shard]!;
  const key = shardKey(partitions[group]!, shard);
  const known = denials.find(key, costs, starts[group]!, nowMs);
  if (known.state !== "denied") return 0;
  return Math.max(...known.rows.map(({ retryAfterUs }) => retryAfterUs));
}

/**
 * Whether nothing but shards denied a request, so that another one may allow it. Policies that count denials have counted
 * this one: a second try could let through what they count as denied.
 */
function isDeniedByShards(
  { selection: { policies, groups, groupOf } }: PartitionedRequest,
  { allowed, reason, policies: rows }: Decision,
): boolean {
  if (allowed || (reason !== "limited" && reason !== "cached-denial")) return false;
  const denied = new Set(rows.filter((row) => !row.allowed).map(({ name }) => name));
  return policies.every(
    ({ name, role }, i) =>
      role === "advisory" ||
      (role === "enforced" && (!denied.has(name) || groups[groupOf[i]!]!.shards !== undefined)),
  );
}
