import { expect, vi } from "vitest";

import type { LimiterSettings } from "../../../src/limiter/settings.ts";
import { builtLimiter } from "../../support/limiter/built-limiter.ts";
import {
  type Decision,
  fixedWindow,
  type Identity,
  type ReservingLimiter,
  type LimiterOptions,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../../support/limiter/plain.ts";
import { watchedStore } from "../../support/limiter/watched-store.ts";

/** One request of a schedule. */
export interface Step {
  readonly operation: "limit" | "peek" | "charge" | "reserve" | "reset";
  readonly waitMs: number;
  readonly user: number;
  readonly org: number;
  readonly cost: number;
  readonly plan: boolean;
}

/** One side of a pair: a limiter, its world, and the calls of its store. */
export interface Side extends ReturnType<typeof watchedStore> {
  readonly limiter: ReservingLimiter;
}

export function sideOf(options: LimiterOptions, given: Partial<LimiterSettings> = {}): Side {
  const watched = watchedStore();
  const { store, world } = watched;
  let drawn = 0;
  const clocks = { now: () => world.nowUs / 1000, random: () => (drawn++ * 0.618) % 1 };
  return { ...watched, limiter: builtLimiter(store, options, { ...clocks, ...given }) };
}

/** Policies in shadow of every kind that may stand beside others. */
export const SHADOWS: readonly Policy[] = [
  fixedWindow({ name: "shadow-user", by: "user", limit: 3, window: "10s", mode: "shadow" }),
  fixedWindow({ name: "shadow-org", by: "org", limit: 5, window: "1m", mode: "shadow" }),
  fixedWindow({ name: "shadow-all", by: "*", limit: 7, window: "5s", mode: "shadow" }),
];

/** Policies in shadow with traits of their own, which give units back or split their count. */
export const SHADOWS_WITH_TRAITS: readonly Policy[] = [
  tokenBucket({ name: "bucket", by: "user", limit: 4, refill: 4, per: "10s", mode: "shadow" }),
  slidingWindowLog({
    name: "log",
    by: "org",
    limit: 6,
    window: "10s",
    refundable: true,
    mode: "shadow",
  }),
  fixedWindow({ name: "split", by: "org", limit: 9, window: "10s", shards: 3, mode: "shadow" }),
  fixedWindow({
    name: "failures",
    by: "user",
    limit: 4,
    window: "10s",
    counts: "failures",
    mode: "shadow",
  }),
];

/** All that a client sees of a decision. */
export async function shown(decision: Decision): Promise<unknown> {
  const { allowed, reason, status, retryAfterMs, policies, error } = decision;
  const response = decision.response();
  return {
    decision: { allowed, reason, status, retryAfterMs, policies, error: error?.code },
    fields: [...decision.headers()],
    response: [...response.headers],
    body: await response.text(),
  };
}

/** Lets work after responses end: a settlement, and then what it leaves to send. Timers are those of the test. */
export async function afterwards(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await vi.advanceTimersByTimeAsync(1);
}

export async function take(limiter: ReservingLimiter, step: Step): Promise<unknown> {
  const { operation, user, org, cost } = step;
  const identity: Identity = { user: `user-${user}`, org: `org-${org}` };
  const options = step.plan ? { cost, plan: "small" } : { cost };
  if (operation === "reset") return limiter.reset(identity);
  if (operation === "charge") {
    return shown(await limiter.charge(identity, cost, step.plan ? { plan: "small" } : {}));
  }
  if (operation !== "reserve") return shown(await limiter[operation](identity, options));
  const hold = await limiter.reserve(identity, options);
  const seen = await shown(hold);
  await hold.settle();
  return seen;
}

/** Runs a schedule with and without the shadows, and expects the same; returns both sides. */
export async function expectPair(
  without: Side,
  beside: Side,
  steps: readonly Step[],
  before: (side: Side, index: number) => void = () => {},
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const seen: unknown[] = [];
    for (const side of [without, beside]) {
      side.world.nowUs += step.waitMs * 1000;
      before(side, index);
      seen.push(await take(side.limiter, step));
      await afterwards();
    }
    expect(seen[1]).toEqual(seen[0]);
  }
  const leases = without.asked.filter(({ call }) => call === "lease").length;
  const more = beside.asked.length - without.asked.length;
  expect(more).toBeGreaterThanOrEqual(0);
  expect(more).toBeLessThanOrEqual(leases);
}
