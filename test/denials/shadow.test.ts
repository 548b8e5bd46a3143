import { describe, expect, test } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import type { Policy, Store } from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { virtualTime } from "../support/virtual-time.ts";

/*
 * The shadow: every denial that an isolate makes by itself is put to a real Redis at that same moment, as a peek. Time is virtual
 * and the network takes its time, so that minutes of load run in seconds and no machine's noise blurs a moment.
 */

const redis = testRedis();

interface Tally {
  decisions: number;
  /** Denials that never left the isolate. */
  local: number;
  /** Those of them that Redis would have admitted. */
  wrong: number;
  calls: number;
}

async function shadow(
  policy: Policy,
  load: number,
  isolates: number,
  decisions: number,
  seed: number,
): Promise<Tally> {
  const compiled = compilePolicy(policy);
  const { algorithm, limit, windowUs, parameters } = compiled;
  const script = algorithmScript(redis, algorithm);
  const key = `shadow:{${crypto.randomUUID()}}`;
  const next = random(seed);
  const time = virtualTime(FUTURE);
  const tally: Tally = { decisions: 0, local: 0, wrong: 0, calls: 0 };
  const witnesses: Promise<void>[] = [];
  const request = { limit, parameters };

  /** Redis, some milliseconds away in either direction. */
  const distant: Store = {
    async decide(operation, _keys, [cost]) {
      tally.calls++;
      await time.pass(200 + Math.floor(next() * 8_000));
      const nowUs = time.now();
      const { allowed, remaining, retryAfterUs, resetAfterUs } = await time.hold(
        script(key, { ...request, nowUs, operation, cost: cost! }),
      );
      await time.pass(200 + Math.floor(next() * 8_000));
      return { nowUs, rows: [{ allowed, remaining, retryAfterUs, resetAfterUs }] };
    },
    reset: () => {},
  };

  const settings = { ...DEFAULTS, policies: [compiled], now: () => time.now() / 1000 };
  const limiters = Array.from({ length: isolates }, () =>
    buildLimiter(distant, settings, EVERY_FEATURE),
  );

  async function arrive(): Promise<void> {
    const limiter = limiters[Math.floor(next() * isolates)]!;
    const cost = next() < 0.8 ? 1 : 1 + Math.floor(next() * Math.min(limit, 5));
    const { reason } = await limiter.limit("somebody", { cost });
    tally.decisions++;
    if (reason !== "cached-denial") return;
    tally.local++;
    const peek = script(key, { ...request, nowUs: time.now(), operation: "peek", cost });
    witnesses.push(peek.then(({ allowed }) => void (tally.wrong += Number(allowed))));
  }

  // Costs average 1.4 for small limits; the load is meant in requests, and only has to be about right.
  const gap = windowUs / limit / load;
  let at = 0;
  for (let arrival = 0; arrival < decisions; arrival++) {
    at += -Math.log(1 - next()) * gap;
    time.at(FUTURE + Math.floor(at), arrive);
  }
  await time.run();
  await Promise.all(witnesses);
  await redis.del(key);
  return tally;
}

const policies = EVERY_ALGORITHM.map(({ of }) => of(100, "10s"));
const loads = [0.9, 1.2, 5, 50];
const crowds = [1, 10, 100];

/** All decisions together, over every algorithm, load and crowd. `TEST_RUNS=10` checks a million. */
const DECISIONS = runs(100_000);
const EACH = Math.ceil(DECISIONS / (policies.length * loads.length * crowds.length));

describe.each(policies)("$algorithm", (policy) => {
  test(
    "Redis would have denied every request that an isolate denied alone",
    { timeout: 600_000 },
    async () => {
      let local = 0;
      for (const load of loads) {
        for (const isolates of crowds) {
          const tally = await shadow(policy, load, isolates, EACH, load * 1000 + isolates);
          expect(tally.decisions).toBe(EACH);
          expect(tally.wrong, `load ${load}, ${isolates} isolates`).toBe(0);
          local += tally.local;
        }
      }
      // Not for want of trying: most of the decisions at high load are denials, and most of those local.
      expect(local).toBeGreaterThan(EACH);
    },
  );
});
