import { MAX_LIMIT } from "../algorithms/algorithm.ts";
import { fixedWindow } from "../algorithms/fixed-window.ts";
import { DECIDE } from "../algorithms/scripts.generated.ts";
import type { GroupVerdict, Verdict } from "../decide/step.ts";
import { limiterHolds } from "../features/holds/limiter-holds.ts";
import type { Duration } from "../options/duration.ts";
import { partitionKey } from "../partition/partition-key.ts";
import { setRecent } from "../runtime/lru.ts";
import { giveBackOf } from "./give-back.ts";
import { type Cores, countedVerdict, type DropInCore, type Needs } from "./open-cores.ts";

/** The hits of a window that begins with its first hit. */
export interface Hits {
  readonly total: number;
  /** Until the window ends and all of them are forgotten; 0 where none is counted. */
  readonly resetAfterMs: number;
}

/** Counts hits and knows no limit. */
export interface HitCounter {
  /** Adds hits, in one call. */
  add(key: string, hits?: number): Promise<Hits>;
  /** Takes hits back from the window that counted the last hit of this key, if it still counts. */
  takeBack(key: string, hits?: number): Promise<void>;
  get(key: string): Promise<Hits>;
  forget(key: string): Promise<void>;
}

/** Of how many keys the last hit is remembered, so that taking one back is one call and not two. */
const MAX_KEYS = 10_000;

export const HIT_COUNTER: Needs = {
  features: { holds: limiterHolds },
  scripts: { decide: DECIDE, ...limiterHolds.scripts },
  // Hits are only counted: there are no denials to remember.
  remembers: false,
};

/**
 * Counts without a limit: by a fixed window with the highest, 10^9.
 *
 * @param cores opened for the needs of `HIT_COUNTER`
 * @throws ConfigurationError if a window is not from 1 ms to 366 days
 */
export function countHits(cores: Cores, windowMs: number): HitCounter {
  const name = `hits-${windowMs}`;
  const window = `${windowMs}ms` as Duration;
  const core = cores.of(name, () => [
    fixedWindow({ name, limit: MAX_LIMIT, window, aligned: false, refundable: true }),
  ]);
  return counterOf(core);
}

function counterOf(core: DropInCore): HitCounter {
  const giveBack = giveBackOf(core);
  /** By partition, because a key may be of any length. */
  const last = new Map<string, GroupVerdict>();

  async function countedGroup(
    operation: "consume" | "peek",
    key: string,
    cost: number,
  ): Promise<GroupVerdict> {
    const verdict: Verdict = countedVerdict(await core.ask(operation, key, { cost }));
    return verdict.groups[0]!;
  }

  return {
    async add(key, hits = 1) {
      const counted = await countedGroup("consume", key, hits);
      setRecent(last, counted.asked.partition, counted, MAX_KEYS);
      return hitsOf(counted);
    },
    async takeBack(key, hits = 1) {
      const counted = last.get(await partitionKey(key)) ?? (await countedGroup("peek", key, 0));
      await giveBack(counted, [hits]);
    },
    async get(key) {
      return hitsOf(await countedGroup("peek", key, 0));
    },
    async forget(key) {
      last.delete(await partitionKey(key));
      await core.reset(key);
    },
  };
}

function hitsOf({ rows }: GroupVerdict): Hits {
  const { remaining, resetAfterUs } = rows[0]!;
  return { total: MAX_LIMIT - remaining, resetAfterMs: resetAfterUs / 1000 };
}
