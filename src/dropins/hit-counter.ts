import { MAX_LIMIT } from "../algorithms/algorithm.ts";
import { fixedWindow } from "../algorithms/fixed-window.ts";
import { DECIDE } from "../algorithms/scripts.generated.ts";
import type { GroupVerdict, Verdict } from "../decide/step.ts";
import { createGiveBack } from "../features/holds/give-back.ts";
import { holds } from "../features/holds/of-limiter.ts";
import type { Duration } from "../options/duration.ts";
import { setRecent } from "../runtime/lru.ts";
import type { Slot } from "../store/store.ts";
import { type Core, type Cores, given, type Needs } from "./open-cores.ts";

/** What is counted in a window that begins with its first hit. */
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

/** No policy here has slots. */
const NO_SLOT: Slot = { id: "", ttlUs: 0 };

export const HIT_COUNTER: Needs = {
  features: { holds },
  scripts: { decide: DECIDE, ...holds.scripts },
  // Nothing is denied.
  remembers: false,
};

/**
 * Counts without a limit: by a fixed window with the highest, 10^9.
 *
 * @param cores opened for what `HIT_COUNTER` needs
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

function counterOf({ kit, ask, reset }: Core): HitCounter {
  const giveBack = createGiveBack(kit);
  const last = new Map<string, GroupVerdict>();

  async function verdictOf(
    operation: "consume" | "peek",
    key: string,
    cost: number,
  ): Promise<GroupVerdict> {
    const verdict: Verdict = given(await ask(operation, key, { cost }));
    return verdict.groups[0]!;
  }

  return {
    async add(key, hits = 1) {
      const counted = await verdictOf("consume", key, hits);
      setRecent(last, key, counted, MAX_KEYS);
      return hitsOf(counted);
    },
    async takeBack(key, hits = 1) {
      const taken = last.get(key) ?? (await verdictOf("peek", key, 0));
      await giveBack.units([taken], [hits], NO_SLOT);
    },
    async get(key) {
      return hitsOf(await verdictOf("peek", key, 0));
    },
    async forget(key) {
      last.delete(key);
      await reset(key);
    },
  };
}

function hitsOf({ rows }: GroupVerdict): Hits {
  const { remaining, resetAfterUs } = rows[0]!;
  return { total: MAX_LIMIT - remaining, resetAfterMs: resetAfterUs / 1000 };
}
