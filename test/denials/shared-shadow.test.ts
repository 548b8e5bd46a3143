import { describe, expect, test } from "vitest";

import { FUTURE } from "../support/algorithm-script.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { memoryStore, type Policy, shareDenials } from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { installTimers, virtualTime } from "../support/virtual-time.ts";
import { distantStore } from "./distant-store.ts";
import { nearbyCache } from "./nearby-cache.ts";

/*
 * As the shadow of Redis, for isolates that share their denials: every denial that they make without Redis is put to the model at
 * that same moment. Their clocks start anywhere, and run faster or slower than Redis's within the bounds of NTP.
 */

const MAX_DRIFT = 400e-6;

interface Tally {
  decisions: number;
  local: number;
  wrong: number;
  calls: number;
}

async function shadow(policy: Policy, load: number, isolates: number, seed: number) {
  const { limit, windowUs } = compilePolicy(policy);
  const next = random(seed);
  const time = virtualTime(FUTURE);
  const tally: Tally = { decisions: 0, local: 0, wrong: 0, calls: 0 };
  const model = memoryStore({ now: () => time.now() });
  const trip = () => time.pass(200 + Math.floor(next() * 8_000));
  const cacheTrip = () => time.pass(200 + Math.floor(next() * 1_800));
  const distant = distantStore(model, trip, () => tally.calls++);
  const sharedDenials = shareDenials(nearbyCache(cacheTrip));
  const limiters = Array.from({ length: isolates }, () => {
    const offset = next() * 1e9;
    const rate = 1 + (2 * next() - 1) * MAX_DRIFT;
    const now = () => offset + ((time.now() - FUTURE) * rate) / 1000;
    return builtLimiter(distant, { policies: [policy], sharedDenials }, { now });
  });
  const witness = builtLimiter(model, { policies: [policy], denialCache: false });

  async function arrive(): Promise<void> {
    const limiter = limiters[Math.floor(next() * isolates)]!;
    const cost = next() < 0.8 ? 1 : 1 + Math.floor(next() * 5);
    const { reason } = await limiter.limit("somebody", { cost });
    tally.decisions++;
    if (reason !== "cached-denial") return;
    tally.local++;
    tally.wrong += Number((await witness.peek("somebody", { cost })).allowed);
  }

  const gap = windowUs / limit / load;
  let at = 0;
  for (let arrival = 0; arrival < EACH; arrival++) {
    at += -Math.log(1 - next()) * gap;
    time.at(FUTURE + Math.floor(at), arrive);
  }
  const restore = installTimers(time);
  try {
    await time.run();
  } finally {
    restore();
  }
  return tally;
}

const policies = EVERY_ALGORITHM.map(({ of }) => of(100, "10s"));
const loads = [1.2, 5, 50];
const crowds = [2, 10, 100];
const EACH = runs(5_000);

describe.each(policies)("$algorithm", (policy) => {
  test(
    "Redis would have denied every request that isolates denied together",
    { timeout: 120_000 },
    async () => {
      const sum = { local: 0, calls: 0 };
      for (const load of loads) {
        for (const isolates of crowds) {
          const tally = await shadow(policy, load, isolates, load * 1000 + isolates);
          expect(tally.decisions).toBe(EACH);
          expect(tally.wrong, `load ${load}, ${isolates} isolates`).toBe(0);
          sum.local += tally.local;
          sum.calls += tally.calls;
        }
      }
      // They do share: alone, a hundred isolates would ask for nearly every request.
      expect(sum.local).toBeGreaterThan(EACH * 2);
    },
  );
});
