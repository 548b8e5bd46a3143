import { denies, type PolicyRows } from "../decision/outcome.ts";
import type { DenialCache } from "../denials/denial-cache.ts";
import type { Sharing } from "../denials/shared-denials.ts";
import type { SingleFlight } from "../denials/single-flight.ts";
import type { StoreError } from "../errors/errors.ts";
import type { Leases } from "../lease/leases.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Reply, Slot } from "../store/store.ts";
import type { LastAnswers } from "./last-answers.ts";

/** Policies that share a partition key. What an isolate knows of one of them, it knows of all of them. */
export interface PolicyGroup {
  /** Advisory ones come last. */
  readonly policies: readonly CompiledPolicy[];
  /** Those that may deny. */
  readonly denying: readonly CompiledPolicy[];
  readonly denials: DenialCache;
  readonly flights: SingleFlight;
  readonly sharing: Sharing | undefined;
  readonly answers: LastAnswers;
  /** Quota reserved in advance; `undefined` if the store decides every request. */
  readonly leases: Leases | undefined;
  /** The same policies under other plans. What is known of them ends with a decision of this group. */
  readonly variants: PolicyGroup[];
  /** Of policies that are split: a group for each shard, with what it enforces. Nothing is known of the policies as a whole. */
  readonly shards?: readonly PolicyGroup[];
}

/** The policies of one decision, group after group. */
export interface Selection {
  readonly groups: readonly PolicyGroup[];
  /** Where the policies of each group begin. */
  readonly starts: readonly number[];
  readonly policies: readonly CompiledPolicy[];
  /** For each policy, its group. */
  readonly groupOf: readonly number[];
  /** What a request costs that names no costs. A policy that counts denials costs nothing. */
  readonly ones: readonly number[];
  /** Whether every policy is enforced, and counts requests. */
  readonly isPlain: boolean;
  /** Whether quota of any group is reserved in advance. */
  readonly isLeased: boolean;
  /** The policies that a decision lists, in the order given; `undefined` for all of them, as they are. */
  readonly listed: readonly number[] | undefined;
  readonly shadows: readonly number[];
}

/** One request: which policies decide it, the partition key of each group, and the cost for each policy. */
export interface PartitionedRequest {
  readonly selection: Selection;
  readonly partitions: readonly string[];
  readonly costs: readonly number[];
  readonly reservation?: Reservation | undefined;
  /** The request before one shard was chosen of each group that is split. */
  readonly whole?: PartitionedRequest | undefined;
}

/** What a request that is settled later comes with. */
export interface Reservation {
  /** What each answer took, noted by the decision path. */
  readonly taken: Taken[];
  /** What it takes of concurrency policies. */
  readonly slot: Slot;
}

/** What a decision took of some policies, and where. */
export interface Taken {
  /** Which policies, in which partitions, at what costs. */
  readonly request: PartitionedRequest;
  readonly keys: readonly string[];
  /** The answer, with the clock of whoever counted. */
  readonly reply: Reply;
  /** Why this isolate counted instead of the store; `undefined` if the store did. */
  readonly error?: StoreError | undefined;
}

/** Puts groups together for one decision. `given`: all policies, in the order in which a decision lists them. */
export function select(
  groups: readonly PolicyGroup[],
  given: readonly CompiledPolicy[],
): Selection {
  const policies = groups.flatMap((group) => group.policies);
  const indices = given.map((policy) => policies.indexOf(policy)).filter((i) => i >= 0);
  const listed = indices.filter((i) => policies[i]!.mode !== "shadow");
  const isWhole = listed.length === policies.length && listed.every((index, i) => index === i);
  let start = 0;
  return {
    groups,
    starts: groups.map((group) => (start += group.policies.length) - group.policies.length),
    policies,
    groupOf: groups.flatMap((group, i) => group.policies.map(() => i)),
    ones: policies.map(({ role }) => (role === "denials" ? 0 : 1)),
    isPlain: policies.every(({ role, countsFailures }) => role === "enforced" && !countsFailures),
    isLeased: groups.some(({ leases }) => leases),
    listed: isWhole ? undefined : listed,
    shadows: indices.filter((i) => policies[i]!.mode === "shadow"),
  };
}

/** Selections of some groups of a selection: a store keeps its script with the list of policies. */
const selectionsOfSome = new WeakMap<Selection, Map<string, Selection>>();

/** What a request asks of some of its groups alone, by their indices. */
export function partOf(
  request: PartitionedRequest,
  indices: readonly number[],
): PartitionedRequest {
  const { selection, partitions, costs, reservation, whole } = request;
  const { groups, starts } = selection;
  if (indices.length === groups.length) return request;
  const known = selectionsOfSome.get(selection) ?? new Map<string, Selection>();
  selectionsOfSome.set(selection, known);
  const key = indices.join();
  const { policies, listed = policies.keys(), shadows } = selection;
  const part =
    known.get(key) ??
    select(
      indices.map((i) => groups[i]!),
      [...listed, ...shadows].map((i) => policies[i]!),
    );
  known.set(key, part);
  return {
    selection: part,
    partitions: indices.map((i) => partitions[i]!),
    costs: indices.flatMap((i) => costs.slice(starts[i], starts[i]! + groups[i]!.policies.length)),
    reservation,
    whole: whole && partOf(whole, indices),
  };
}

/** The policies and rows at these indices. */
export function pick({ policies, rows }: PolicyRows, indices: readonly number[]): PolicyRows {
  return { policies: indices.map((i) => policies[i]!), rows: indices.map((i) => rows[i]!) };
}

/** Whether no policy denies. */
export function isAllowed(all: PolicyRows): boolean {
  return all.rows.every((_, i) => !denies(all, i));
}

/** Whether an answer took slots of concurrency policies. */
export function tookSlots({ request: { selection, costs } }: Taken): boolean {
  return selection.policies.some((policy, i) => hasSlots(policy) && costs[i]! > 0);
}

/** Whether a policy gives slots to holds, instead of counting units. */
export function hasSlots({ implementation }: CompiledPolicy): boolean {
  return implementation.hasSlots === true;
}
