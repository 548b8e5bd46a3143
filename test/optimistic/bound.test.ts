import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { factsOf } from "../support/algorithms/all.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { excessOf } from "../support/lease/excess.ts";
import { createLimiter, memoryStore, type Policy, type Store } from "../support/limiter/plain.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { least, runs, some } from "../support/runs.ts";
import { type Crowd, crowd, type CrowdOptions } from "./crowd.ts";

/*
 * A policy's promise is checked on the admitted units, for any isolate that admitted them and any moment at which the store
 * counted them, and by a ledger of its own. An excess of u for each isolate is promised; units that the store never counted come
 * on top of it.
 */

type Make = (options: Pick<Policy, "optimistic">) => Policy;

const LIMIT = 60;
const plan = { limit: 100 };

const cases = everyPolicy(LIMIT, "1s").map((policy): [string, Make] => [
  policy.algorithm,
  (own) => ({ ...policy, name: "p", ...own }),
]);

/** Resets give the whole quota back: the stories between them. */
function stories({ admissions, resets }: Crowd): Admission[][] {
  const bounds = [-Infinity, ...resets, Infinity];
  return bounds
    .slice(1)
    .map((end, i) => admissions.filter(({ time }) => time > bounds[i]! && time <= end));
}

function worst(policy: Policy, result: Crowd): number {
  return Math.max(...stories(result).map((story) => excessOf(policy, story)));
}

/** The excess that is promised: a counter's windows overlap two of its own, and each may have it. */
function promised({ algorithm }: Policy, unsettled: number, { hopeful }: Crowd): number {
  return unsettled * hopeful * (factsOf(algorithm).promise === "weighted" ? 2 : 1);
}

const numbers = fc.record({
  seed: fc.nat(),
  isolates: fc.integer({ min: 1, max: 12 }),
  unsettled: fc.integer({ min: 1, max: 5 }),
  above: fc.constantFrom(0, 0.2, 0.5, 0.9),
  trouble: fc.boolean(),
});

describe.each(cases)("%s", (_name, make) => {
  test("is exceeded by u for each isolate at most, and denies no client for which there is room", async () => {
    let [ahead, troubles] = [0, 0];
    await fc.assert(
      fc.asyncProperty(numbers, async ({ unsettled, above, ...others }) => {
        const policy = make({ optimistic: { unsettled, above } });
        const result = await crowd({ ...others, policy, span: 10e6 });
        expect(worst(policy, result)).toBeLessThanOrEqual(promised(policy, unsettled, result));
        expect(result.lost).toBeLessThanOrEqual(unsettled * result.losses);
        expect(result.wrongDenials).toBe(0);
        expect(result.overcharged).toBe(0);
        ahead += result.ahead;
        troubles += result.losses;
      }),
      { numRuns: runs(40) },
    );
    // Not for want of trying.
    expect(ahead).toBeGreaterThan(least(runs(40) * 10));
    if (runs(40) >= 40) expect(troubles).toBeGreaterThan(0);
  });

  test("is exceeded by no more under plans that come and go", async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async ({ unsettled, above, ...others }) => {
        const policy = make({ optimistic: { unsettled, above } });
        const largest = { ...policy, ...plan } as Policy;
        const result = await crowd({ ...others, policy, plan, span: 6e6 });
        expect(worst(largest, result)).toBeLessThanOrEqual(promised(policy, unsettled, result));
      }),
      { numRuns: runs(15) },
    );
  });
});

test.each(cases)(
  "%s is exceeded by exactly that, where all isolates ask at once about an unknown key",
  async (_name, make) => {
    const [isolates, unsettled] = [7, 3];
    let now = Date.UTC(2030, 0, 1) * 1000;
    const store = memoryStore({ now: () => now });
    const made = (optimistic?: Policy["optimistic"]) =>
      createLimiter({ store, policies: [make(optimistic ? { optimistic } : {})] });
    expect((await made().limit("hot", { cost: LIMIT })).allowed).toBe(true);
    const crowd = Array.from({ length: isolates }, () => made({ unsettled, above: 0 }));
    const ask = async (times: number) => {
      const asked = crowd.flatMap((each) => Array.from({ length: times }, () => each.limit("hot")));
      return (await Promise.all(asked)).filter(({ allowed }) => allowed).length;
    };
    expect(await ask(10)).toBe(unsettled * isolates);
    expect(await ask(10)).toBe(0);
    // One unit of the bucket has refilled, and pays a part of the debt.
    now += 17_000;
    expect(await ask(10)).toBe(0);
    const strict = make({});
    const { retryAfterMs } = await made().limit("hot");
    const debt = factsOf(strict.algorithm).refills ? (unsettled * isolates + 1) / LIMIT : 0.9;
    expect(retryAfterMs).toBeGreaterThan(debt * 1000 - 40);
  },
);

describe("a mistake is found", () => {
  /** The most by which the promise is broken over many seeds. */
  async function found(make: Make, mistaken: CrowdOptions["mistaken"]): Promise<number> {
    const policy = make({ optimistic: { unsettled: 2, above: 0 } });
    let most = -Infinity;
    for (let seed = 1; seed <= 300 && most <= 0; seed++) {
      const result = await crowd({
        seed,
        isolates: 6,
        policy,
        span: 5e6,
        trouble: false,
        ...(mistaken && { mistaken }),
      });
      most = Math.max(most, worst(policy, result) - promised(policy, 2, result));
    }
    return most;
  }

  // A counter promises little, so that it takes more luck.
  const strict = cases.filter(([name]) => name !== "sliding-window-counter");

  test.each(some(strict.toReversed()))(
    "%s whose settlements tell of no denial",
    async (_name, make) => {
      const blind = (store: Store): Store => ({
        ...store,
        async decide(operation, ...request) {
          const reply = await store.decide(operation, ...request);
          if (operation !== "charge") return reply;
          const rows = reply.rows.map((row) => ({ ...row, remaining: LIMIT, retryAfterUs: 0 }));
          return { ...reply, rows };
        },
      });
      expect(await found(make, blind)).toBeGreaterThan(0);
    },
  );

  test.each(some(strict.toReversed()))(
    "%s whose settlements are answered before they are counted",
    async (_name, make) => {
      const hasty = (store: Store): Store => ({
        ...store,
        async decide(operation, ...request) {
          if (operation !== "charge") return store.decide(operation, ...request);
          const peeked = store.decide("peek", ...request);
          void store.decide(operation, ...request);
          return peeked;
        },
      });
      expect(await found(make, hasty)).toBeGreaterThan(0);
    },
  );
});

test.each(everyPolicy(2, "1h"))(
  "units admitted under a large plan count under it, though a request without a plan sends them: $algorithm",
  async (policy) => {
    const limiter = createLimiter({
      store: memoryStore({ now: () => 1.8e15 }),
      policies: [{ ...policy, name: "p", optimistic: { unsettled: 1, above: 0.1 } }],
      plans: { large: { p: { limit: 1_000 } } },
    });
    const large = { plan: "large" };
    await limiter.charge("u", 300, large);
    let admitted = 0;
    for (; admitted < 2; admitted++) await limiter.limit("u", large);
    for (let i = 0; i < 50; i++) {
      // In one turn: the second one has the first one's unit counted before it asks.
      const [first, second] = await Promise.all([limiter.limit("u", large), limiter.limit("u")]);
      admitted += Number(first.allowed);
      expect([first.reason, second.reason]).toEqual(["optimistic", "limited"]);
      // The store decides this one, and the isolate learns the numbers of the large plan again.
      admitted += Number((await limiter.limit("u", large)).allowed);
    }
    const { policies } = await limiter.peek("u", large);
    expect(policies[0]!.remaining).toBe(700 - admitted);
  },
);
