import { AsyncLocalStorage } from "node:async_hooks";

import fc from "fast-check";
import { expect, test } from "vitest";

import { StoreError } from "../../src/options/errors.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { excessOf } from "../support/lease/excess.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import {
  fixedWindow,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { least, runs } from "../support/runs.ts";
import { virtualTime } from "../support/virtual-time.ts";

/*
 * The promise to all clients together holds while units are leased, put back and lost, beside exact policies that deny some of the
 * requests.
 */

const START = 4_000_000_000_123_457;
const ISOLATES = 8;
/** Microseconds for which requests keep coming. */
const SPAN = 2_000_000;

const address = tokenBucket({ name: "address", by: "ip", limit: 30, refill: 40, per: "1s" });
const lease = { name: "everyone", by: "*", lease: "100ms" } as const;

/** When the shared units of the requests that passed were spent, and how many were put back or passed on leased units. */
async function story(everyone: Policy, seed: number) {
  const next = random(seed);
  const time = virtualTime(START);
  const model = openMemoryStore({ now: () => time.now() });
  /** When the store took the shared unit for the request, or when the request spent one that was held. */
  const requests = new AsyncLocalStorage<{ debitedAt?: number; spentAt?: number }>();

  const travel = () => time.pass(200 + Math.floor(next() * (next() < 0.1 ? 90_000 : 8_000)));
  const lost = () => {
    if (next() < 0.02) throw new StoreError("ERR_STORE_TIMEOUT", "lost");
  };
  const distant: Store = {
    async decide(operation, keys, costs, policies) {
      const own = requests.getStore()!;
      const isAboutAll = policies.some(({ name }) => name === "everyone");
      // A leased unit is spent right before the store is asked about the others.
      if (!isAboutAll) own.spentAt = time.now();
      await travel();
      lost();
      // Leases without bounds, so that isolates hold as much as they ask for.
      const reply = await model.decide(operation, keys, costs, policies);
      const { leased = Number(reply.rows.every(({ allowed }) => allowed)) } = reply;
      const debitedAt = time.now();
      await travel();
      lost();
      if (isAboutAll && leased > 0) own.debitedAt = debitedAt;
      return reply;
    },
    reset: () => {},
  };

  const options = { policies: [everyone, address], onFailure: "closed" } as const;
  const now = () => (time.now() - START) / 1000;
  const limiters = Array.from({ length: ISOLATES }, () => builtLimiter(distant, options, { now }));

  const admissions: Admission[] = [];
  let held = 0;
  let denied = 0;
  for (let at = 0; at < SPAN;) {
    // Bursts, and times in which leases expire.
    const burst = next() < 0.5 ? 3_000 : 200;
    for (const end = at + 150_000 * next(); at < end;) {
      at += (-Math.log(1 - next()) / burst) * 1e6;
      const limiter = limiters[Math.floor(next() * ISOLATES)]!;
      const ip = `ip-${Math.floor(next() ** 2 * 40)}`;
      time.at(START + Math.floor(at), async () => {
        const own: { debitedAt?: number; spentAt?: number } = {};
        const decision = await requests.run(own, () => limiter.limit({ ip }));
        if (!decision.allowed) {
          if (decision.policies.some(({ name, allowed }) => name === "address" && !allowed))
            denied++;
          return;
        }
        if (own.debitedAt === undefined) held++;
        admissions.push({ time: (own.debitedAt ?? own.spentAt)!, units: 1 });
      });
    }
  }
  await time.run();
  return { admissions: admissions.toSorted((a, b) => a.time - b.time), held, denied };
}

test.for<[string, Policy]>([
  ["a bucket", tokenBucket({ ...lease, limit: 150, refill: 600, per: "1s" })],
  ["a log", slidingWindowLog({ ...lease, limit: 400, window: "1s" })],
  ["a fixed window", fixedWindow({ ...lease, limit: 400, window: "1s" })],
])("%s of everybody is never exceeded by eight isolates", async ([, everyone]) => {
  let [held, denied] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const result = await story(everyone, seed);
      held += result.held;
      denied += result.denied;
      expect(excessOf(everyone, result.admissions)).toBeLessThanOrEqual(0);
    }),
    { numRuns: runs(8) },
  );
  // Not for want of trying.
  expect(held).toBeGreaterThan(least(500));
  expect(denied).toBeGreaterThan(least(100));
});
