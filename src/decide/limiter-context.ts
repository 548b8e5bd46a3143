import type { FailureVerdict } from "../algorithms/common-options.ts";
import { createLocalCounts, type LocalCounts, type LocalParts } from "../outage/local-counts.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Store } from "../store/store.ts";
import { createGroup, type PolicyGroup } from "./groups.ts";
import type { HeaderOptions } from "./header-fields.ts";
import type { PartitionRequest } from "./step.ts";

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

export function createContext<Settings extends CoreSettings>(
  store: Store,
  settings: Settings,
  parts: LocalParts,
): LimiterContext<Settings> {
  const { prefix, now } = settings;
  const makers: ((group: PolicyGroup) => void)[] = [];
  const clockUs = store.now ? () => store.now!() : () => Date.now() * 1000;
  let groups = 0;

  return {
    settings,
    store,
    now,
    clockUs,
    local: createLocalCounts(settings.onFailure, clockUs, parts),

    group(members, base) {
      const group = createGroup(members, groups++, base?.variants);
      for (const make of makers) make(group);
      return group;
    },

    perGroup(make) {
      const states: ReturnType<typeof make>[] = [];
      makers.push((group) => (states[group.index] = make(group)));
      return (group) => states[group.index]!;
    },

    keysOf: ({ group, partition }) =>
      group.policies.map(({ key }) => `${prefix}:{${partition}}:${key}`),
  };
}
