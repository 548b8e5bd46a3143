import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import { FIXED_WINDOW, fixedWindow } from "../algorithms/fixed-window.ts";
import { DECIDE } from "../algorithms/scripts.generated.ts";
import { checkCost } from "../decide/cost.ts";
import type { Verdict } from "../decide/step.ts";
import { limiterHolds } from "../features/holds/limiter-holds.ts";
import { roles } from "../features/roles/feature.ts";
import type { Duration } from "../options/duration.ts";
import { giveBackOf } from "./give-back.ts";
import { type Cores, countedVerdict, type DropInCore, type Needs } from "./open-cores.ts";
import { rowOf } from "./row-of.ts";

/** Points of a key, and when they are forgotten. */
export interface Points {
  readonly used: number;
  /** 0 if no points are counted. */
  readonly resetAfterMs: number;
}

/**
 * Counts points without a limit, in windows that begin with the first; and holds a number of points for a time of its own.
 * Points are whole numbers from 0; all others are rejected with a TidegateError `ERR_COST`.
 */
export interface PointCounter {
  /** Adds points: one call, and a second one while points of this key are held. */
  add(key: string, points: number, windowMs: number): Promise<Points>;
  /** Takes points back, to no less than none. */
  takeBack(key: string, points: number, windowMs: number): Promise<Points>;
  get(key: string, windowMs: number): Promise<Points>;
  /** Replaces the count by these points, until a time has passed. */
  hold(key: string, points: number, holdMs: number, windowMs: number): Promise<void>;
  forget(key: string, windowMs: number): Promise<void>;
}

export const POINT_COUNTER: Needs = {
  features: { roles, holds: limiterHolds },
  scripts: { decide: DECIDE, ...limiterHolds.scripts },
  // Only held points cause denials, and they may be replaced at any time.
  remembers: false,
};

/** As many as are counted. Clients of Redis for Node misread numbers near 2^53. */
const MOST_POINTS = 2 ** 52;

/** The longest window, for durations without an end. */
export const LONGEST_MS = 366 * 86_400_000;

const POINTS = "points";
const HELD = "held";

/** One count for windows of any length: a window that begins with a request goes on until its own end. */
const ANY_LENGTH = { ...FIXED_WINDOW, meaning: () => ["any"] };

const windowOf = (name: string, windowMs: number, limit = MOST_POINTS) => ({
  ...fixedWindow({ name, limit, window: `${windowMs}ms` as Duration, aligned: false }),
  [IMPLEMENTATION]: ANY_LENGTH,
});

/** @param cores opened for the needs of `POINT_COUNTER` */
export function countPoints(cores: Cores): PointCounter {
  /** Denies while points are held, and counts no points then. */
  const counting = (windowMs: number): DropInCore =>
    cores.of(`count ${windowMs}`, () => [
      windowOf(POINTS, windowMs),
      { ...windowOf(HELD, LONGEST_MS, 1), counts: "denials" },
    ]);
  const holding = (holdMs: number): DropInCore =>
    cores.of(`hold ${holdMs}`, () => [windowOf(HELD, holdMs)]);

  async function look(
    operation: "consume" | "peek",
    key: string,
    points: number,
    windowMs: number,
  ): Promise<{ readonly verdict: Verdict; readonly isHeld: boolean }> {
    const cost = { [POINTS]: points, [HELD]: 0 };
    const verdict = countedVerdict(await counting(windowMs).ask(operation, key, { cost }));
    return { verdict, isHeld: rowOf(verdict, HELD)?.allowed === false };
  }

  /** Points held, after more are added to them. They end when they would have. */
  async function addHeld(key: string, points: number): Promise<Points> {
    const core = holding(LONGEST_MS);
    const operation = points > 0 ? "charge" : "peek";
    return pointsOf(countedVerdict(await core.ask(operation, key, { cost: points })), HELD);
  }

  async function forget(key: string, windowMs: number): Promise<void> {
    await counting(windowMs).reset(key);
  }

  async function hold(key: string, points: number, holdMs: number, windowMs: number) {
    checkCost(points);
    await forget(key, windowMs);
    if (points > 0) countedVerdict(await holding(holdMs).ask("charge", key, { cost: points }));
  }

  return {
    async add(key, points, windowMs) {
      checkCost(points);
      const counts = Math.min(points, MOST_POINTS);
      const { verdict, isHeld } = await look("consume", key, counts, windowMs);
      if (isHeld) return addHeld(key, points);
      const counted = pointsOf(verdict, POINTS);
      if (verdict.status === 200) return counted;
      // More than can be counted. The denial that this was must not take the place of the count.
      await hold(key, MOST_POINTS, Math.ceil(counted.resetAfterMs), windowMs);
      return { ...counted, used: MOST_POINTS };
    },

    async takeBack(key, points, windowMs) {
      checkCost(points);
      const { verdict, isHeld } = await look("peek", key, 0, windowMs);
      if (isHeld) {
        const { used, resetAfterMs } = await addHeld(key, 0);
        const left = Math.max(0, used - points);
        await hold(key, left, Math.ceil(resetAfterMs), windowMs);
        return { used: left, resetAfterMs };
      }
      const { used, resetAfterMs } = pointsOf(verdict, POINTS);
      const counted = verdict.groups[0]!;
      const units = counted.asked.group.policies.map(({ name }) => (name === POINTS ? points : 0));
      const [back = 0] = await giveBackOf(counting(windowMs))(counted, units);
      return { used: used - back, resetAfterMs };
    },

    async get(key, windowMs) {
      const { verdict, isHeld } = await look("peek", key, 0, windowMs);
      return isHeld ? addHeld(key, 0) : pointsOf(verdict, POINTS);
    },

    hold,
    forget,
  };
}

function pointsOf(verdict: Verdict, name: string): Points {
  const { remaining, resetAfterUs } = rowOf(verdict, name)!;
  return { used: MOST_POINTS - remaining, resetAfterMs: resetAfterUs / 1000 };
}
