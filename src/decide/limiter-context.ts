import type { FailureVerdict } from "../algorithms/common-options.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Slot, Store } from "../store/store.ts";
import type { Decision } from "./decision.ts";
import type { PolicyGroup } from "./groups.ts";
import type { HeaderOptions } from "./header-fields.ts";
import type { Identity, LimitOptions } from "./limiter-types.ts";
import type { LocalCounts } from "./local-counts.ts";
import type { Decide, CountRequest, PartitionRequest, Verdict } from "./step.ts";

/** The checked settings that a limiter's steps read. Each feature adds its own. */
export interface CoreSettings {
  /** Policies with leases are tightened. */
  readonly policies: readonly CompiledPolicy[];
  readonly prefix: string;
  readonly onFailure: FailureVerdict;
  /** Entries of the denial cache; 0 for none. */
  readonly maxDenials: number;
  readonly headers: HeaderOptions;
  /** A random number from 0 to below 1, for the jitter of waits and the choice of shards. */
  readonly random: () => number;
  /** The isolate's monotonic clock, or the store's own where it has one, in milliseconds. */
  readonly now: () => number;
}

/** The parts that the steps of one limiter share. */
export interface LimiterContext<Settings extends CoreSettings = CoreSettings> {
  readonly settings: Settings;
  readonly store: Store;
  /** The clock of `settings.now`. */
  readonly now: () => number;
  /** The clock of this isolate's own counts, in microseconds since 1970. */
  readonly clockUs: () => number;
  /** Counts without the store. */
  readonly local: LocalCounts;
  /**
   * Makes a group of policies, and each step's state for it.
   *
   * @param base the same policies under another plan, or without one
   */
  group(members: readonly CompiledPolicy[], base?: PolicyGroup): PolicyGroup;
  /** Gives a step its own state for each group. Groups are made later than steps, and each brings its state. */
  perGroup<State>(make: (group: PolicyGroup) => State): (group: PolicyGroup) => State;
  keysOf(asked: PartitionRequest): string[];
}

/** A limiter's path, for the operations that features add. */
export interface LimiterPath {
  readonly context: LimiterContext<CoreSettings>;
  readonly decide: Decide;
  /** Finds the groups that count an identity, and decides. Synchronous if no step has to wait. */
  ask(
    operation: CountRequest["operation"],
    identity: Identity,
    options: LimitOptions | null | undefined,
    slot?: Slot,
  ): Verdict | Promise<Verdict>;
  show(verdict: Verdict): Decision;
}

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

/** Whether a policy is in a column. */
function isIn({ by, shards, refundable, mode }: Column): (policy: CompiledPolicy) => boolean {
  return (policy) =>
    policy.by === by &&
    policy.shards === shards &&
    policy.refundable === refundable &&
    (policy.mode === "shadow") === (mode === "shadow");
}
