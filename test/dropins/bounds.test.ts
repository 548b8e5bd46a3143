import { expect, test, vi } from "vitest";

import { createBlockedKeys } from "../../src/dropins/flexible-blocked-keys.ts";
import { createRefunds } from "../../src/dropins/upstash-refunds.ts";
import { createSideCalls } from "../../src/dropins/upstash-side-calls.ts";
import { TidegateStore } from "../../src/express-rate-limit.ts";
import { memoryStore, StoreError } from "../../src/index.ts";
import { RateLimiterTidegate } from "../../src/rate-limiter-flexible.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { ownPrefix, quietly } from "./clocked-redis.ts";

/* What a process remembers of its clients is bounded, whatever they send: the one that came first is forgotten. */

/** One key, and so many others after it. */
async function afterOthers(others: number, use: (key: string) => unknown): Promise<void> {
  await use("ada");
  for (let i = 0; i < others; i++) await use(`other-${i}`);
}

/** As many as are remembered beside one, and one more. */
const OTHERS = [9_999, 10_000] as const;

test("ten thousand keys are blocked without a call", async () => {
  const left: boolean[] = [];
  for (const others of OTHERS) {
    const blocked = createBlockedKeys();
    await afterOthers(others, (key) => blocked.add(key, 60_000));
    left.push(blocked.leftMs("ada") > 0);
    expect(blocked.leftMs(`other-${others - 1}`)).toBeGreaterThan(0);
  }
  expect(left).toEqual([true, false]);
});

test("a hit is taken back from no later window if it is one of ten thousand", async () => {
  const left: (number | undefined)[] = [];
  for (const others of OTHERS) {
    let nowUs = 4e15;
    const options = { store: memoryStore({ now: () => nowUs }), prefix: ownPrefix() };
    const [own, other] = [new TidegateStore(options), new TidegateStore(options)];
    for (const store of [own, other]) store.init({ windowMs: 1_000 });
    await afterOthers(others, (key) => own.increment(key));
    nowUs += 1e6;
    await other.increment("ada");
    await own.decrement("ada");
    left.push((await other.get("ada"))?.totalHits);
  }
  expect(left).toEqual([1, 0]);
});

test("an outage goes on from the answers about ten thousand keys", async () => {
  quietly();
  const passed: boolean[] = [];
  for (const others of OTHERS) {
    const memory = openMemoryStore();
    let isGone = false;
    const store = {
      ...memory,
      decide: (...asked: Parameters<typeof memory.decide>) => {
        if (isGone) throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
        return memory.decide(...asked);
      },
    };
    const limiter = new RateLimiterTidegate({ points: 1, duration: 600, store });
    await afterOthers(others, (key) => limiter.consume(key));
    isGone = true;
    passed.push(
      await limiter.consume("ada").then(
        () => true,
        () => false,
      ),
    );
  }
  expect(passed).toEqual([false, true]);
});

test("ten thousand clients that got units back are asked about, in spite of a known denial", async () => {
  const reached: boolean[] = [];
  for (const others of OTHERS) {
    const group = { policies: [] };
    const ask = vi.fn(async (_operation: string, partition: string) => ({
      groups: [{ asked: { partition, group, costs: [] }, rows: [], at: { nowUs: 0 } }],
    }));
    const decide = vi.fn(async () => ({ status: 200, groups: [] }));
    const context = { store: { refund: async () => [] }, settings: {}, keysOf: () => [] };
    const core = { ask, decide, context } as never;
    const refunds = createRefunds(60_000);
    await afterOthers(others, (key) => refunds.giveBack(core, key, 1));
    await refunds.consume(core, "ada", 1);
    reached.push(decide.mock.calls.length === 1);
  }
  expect(reached).toEqual([true, false]);
});

test("a thousand values of the deny list are known without a call", async () => {
  const known: (string | undefined)[] = [];
  for (const others of [999, 1_000]) {
    const calls = createSideCalls({ eval: async () => [1] }, "prefix");
    await afterOthers(others, (value) => calls.findDenied([value]));
    known.push(calls.knownDenied(["ada"]));
    expect(calls.knownDenied([`other-${others - 1}`])).toBe(`other-${others - 1}`);
  }
  expect(known).toEqual(["ada", undefined]);
});
