import fc from "fast-check";
import { expect, test } from "vitest";

import { splitStore } from "../../src/store/cluster/split-store.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { fixedWindow, type Policy, slidingWindowLog } from "../support/limiter/plain.ts";
import { runs } from "../support/runs.ts";
import { BOTH, type Fate, twoMasters } from "./two-masters.ts";

/*
 * A ban counts what clients were answered. The ledger is the test's own: the denials of each client, and nothing of requests that were
 * admitted in the end. Calls overlap and take turns of their own.
 */

const START_MS = Date.UTC(2030, 0, 1);
const MANY = 100_000;

const ban = fixedWindow({ name: "ban", by: "ip", limit: MANY, window: "1d", counts: "denials" });
const everyone = { name: "everyone", by: "*", window: "10s" } as const;

/** Policies beside the ban. */
const BESIDE = {
  "of all clients": (limit: number) => [fixedWindow({ ...everyone, limit })],
  "of a key and an address": (limit: number) => [
    slidingWindowLog({ name: "key", by: "key", limit, window: "10s" }),
    fixedWindow({ name: "address", by: "ip", limit: Math.ceil(limit / 2), window: "10s" }),
  ],
  leased: (limit: number) => [fixedWindow({ ...everyone, limit: 10 * limit, lease: "100ms" })],
  "leased, and exact": (limit: number) => [
    fixedWindow({ ...everyone, limit: 10 * limit, lease: "100ms" }),
    fixedWindow({ name: "key", by: "key", limit: 4 * limit, window: "10s" }),
  ],
  "in shards": (limit: number) => [fixedWindow({ ...everyone, limit: 2 * limit, shards: 2 })],
  optimistic: (limit: number) => [
    fixedWindow({ ...everyone, limit: 10 * limit, lease: "100ms" }),
    fixedWindow({ name: "key", by: "key", limit, window: "10s", optimistic: true }),
  ],
  refundable: (limit: number) => [fixedWindow({ ...everyone, limit, refundable: true })],
} satisfies Record<string, (limit: number) => readonly Policy[]>;

/** A store whose calls run and are answered some turns later than they were sent. */
function late(store: Store, turnsOf: () => number): Store {
  const pause = async () => {
    for (let turns = turnsOf(); turns > 0; turns--) await Promise.resolve();
  };
  return {
    ...store,
    async decide(...call) {
      await pause();
      const answer = await store.decide(...call);
      await pause();
      return answer;
    },
  };
}

const KINDS = Object.keys(BESIDE) as (keyof typeof BESIDE)[];

const steps = fc.array(
  fc.record({
    who: fc.constantFrom("one" as const, "other" as const),
    cost: fc.constantFrom(1, 1, 1, 1, 3),
    gapMs: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(0, 0, 0, 1, 1, 5) },
      { weight: 1, arbitrary: fc.constantFrom(40, 3_000) },
    ),
  }),
  { minLength: 50, maxLength: 250 },
);

const scenario = fc.record({
  beside: fc.constantFrom(...KINDS),
  limit: fc.integer({ min: 3, max: 12 }),
  isKnown: fc.boolean(),
  masters: fc.constantFrom(1, 2),
  turns: fc.array(fc.nat(30), { minLength: 20, maxLength: 20 }),
  steps,
});

test.for(KINDS)(
  "a ban counts each denial that a client was answered, and no admission: %s",
  async (beside) => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ limit, isKnown, masters, turns, steps }) => {
        let nowMs = START_MS;
        let turn = 0;
        const nowUs = () => nowMs * 1000;
        const inner =
          masters === 1
            ? openMemoryStore({ now: nowUs })
            : splitStore(twoMasters(nowUs, () => "answered").store);
        const store = late(inner, () => turns[turn++ % turns.length]!);
        const limiter = builtLimiter(
          store,
          { policies: [...BESIDE[beside](limit), ban], ...(!isKnown && { denialCache: false }) },
          { now: () => nowMs },
        );
        const denied = { one: 0, other: 0 };
        const answers: Promise<void>[] = [];
        const ask = async (who: "one" | "other", cost: number) => {
          const decision = await limiter.limit({ ip: BOTH[who], key: "k" }, { cost });
          denied[who] += Number(!decision.allowed);
        };
        for (const { who, cost, gapMs } of steps) {
          answers.push(ask(who, cost));
          if (gapMs > 0) {
            await new Promise((resolve) => setImmediate(resolve));
            nowMs += gapMs;
          }
        }
        await Promise.all(answers);
        // Long after all windows but the ban's, this request is admitted and brings what waits.
        const counted: Record<string, number> = {};
        for (const who of ["one", "other"] as const) {
          nowMs += 60_000;
          const { allowed, policies } = await limiter.limit({ ip: BOTH[who], key: "k" });
          expect(allowed).toBe(true);
          counted[who] = MANY - policies.find(({ name }) => name === "ban")!.remaining;
        }
        expect(counted).toEqual(denied);
      }),
      { numRuns: runs(120) },
    );
  },
);

test("while masters are silent, a ban counts no request that its policies let pass", async () => {
  const outages = fc.array(fc.constantFrom<Fate>("answered", "answered", "not sent", "lost"), {
    minLength: 8,
    maxLength: 8,
  });
  const verdicts = fc.constantFrom("open" as const, "local" as const);
  await fc.assert(
    fc.asyncProperty(scenario, outages, verdicts, async (given, fates, onFailure) => {
      const { beside, limit, isKnown, steps } = given;
      let nowMs = START_MS;
      let call = 0;
      let isOver = false;
      const masters = twoMasters(
        () => nowMs * 1000,
        () => (isOver ? "answered" : fates[Math.floor(call++ / 5) % fates.length]!),
      );
      const limiter = builtLimiter(
        splitStore(masters.store),
        {
          policies: [...BESIDE[beside](limit), ban],
          onFailure,
          ...(!isKnown && { denialCache: false }),
        },
        { now: () => nowMs },
      );
      const denied = { one: 0, other: 0 };
      for (const { who, cost, gapMs } of steps) {
        const decision = await limiter.limit({ ip: BOTH[who], key: "k" }, { cost });
        denied[who] += Number(!decision.allowed);
        nowMs += gapMs;
      }
      isOver = true;
      for (const who of ["one", "other"] as const) {
        nowMs += 60_000;
        const { policies } = await limiter.limit({ ip: BOTH[who], key: "k" });
        const counted = MANY - policies.find(({ name }) => name === "ban")!.remaining;
        expect(counted).toBeLessThanOrEqual(denied[who]);
      }
    }),
    { numRuns: runs(100) },
  );
});
