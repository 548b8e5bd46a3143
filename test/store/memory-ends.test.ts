import { expect, test } from "vitest";

import { extendSlots } from "../../src/store/memory-slots.ts";
import { refundInMemory } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { compile } from "../support/compile-policy.ts";
import { concurrency, fixedWindow, tokenBucket } from "../support/limiter/plain.ts";

/* When an entry of the memory counts no more, which says whether it is kept where there is no room. */

const SECOND_US = 1_000_000;
const START_US = 1_000_000 * 60 * SECOND_US;

test("a look at a faster rate leaves an entry its end", () => {
  const memory = createMemory();
  const [long, short] = compile([
    tokenBucket({ name: "long", limit: 5, refill: 1, per: "1m" }),
    tokenBucket({ name: "short", limit: 5, refill: 1, per: "1s" }),
  ]);
  memory.decide(START_US, "consume", ["k"], [1], [long!]);
  const { endsUs, state } = memory.entry("k")!;
  memory.decide(START_US + 1, "peek", ["k"], [1], [short!]);
  expect(memory.entry("k")).toMatchObject({ endsUs });
  expect(memory.entry("k")!.state).toBe(state);
});

test("a count that ends at this moment makes room before one that was used longer ago and still counts", () => {
  const memory = createMemory({ maxEntries: 2 });
  const [minute, second] = compile([
    fixedWindow({ name: "minute", limit: 5, window: "1m" }),
    fixedWindow({ name: "second", limit: 5, window: "1s" }),
  ]);
  memory.decide(START_US, "consume", ["old"], [1], [minute!]);
  memory.decide(START_US, "consume", ["ended"], [1], [second!]);
  memory.decide(START_US + SECOND_US, "consume", ["new"], [1], [minute!]);
  const kept = ["old", "ended", "new"].filter((key) => memory.entry(key));
  expect(kept).toEqual(["old", "new"]);
});

test("a day of a calendar is kept for three hours after its end, by which isolates with any data have begun the next", () => {
  const memory = createMemory();
  const hourUs = 3600 * SECOND_US;
  const midnightUs = Date.UTC(2026, 4, 11) * 1000;
  const nowUs = midnightUs - 5 * hourUs;
  const day = fixedWindow({ name: "day", limit: 5, window: "day" });
  const policies = compileAt(() => nowUs, day);
  memory.decide(nowUs, "consume", ["k"], [1], policies);
  expect(memory.entry("k")!.endsUs).toBe(midnightUs + 3 * hourUs);
});

test("an entry with slots ends with the last of them, and an expired slot comes back by itself", () => {
  const memory = createMemory();
  const policies = compile([concurrency({ name: "slots", limit: 2, ttl: "60s" })]);
  const take = (id: string, seconds: number) =>
    memory.decide(START_US, "consume", ["k"], [1], policies, { id, ttlUs: seconds * SECOND_US });
  take("a", 10);
  take("b", 30);
  const slot = { id: "a", ttlUs: 20 * SECOND_US };
  expect(extendSlots(memory, START_US, ["k"], policies, slot)).toEqual([true]);
  expect(memory.entry("k")!.endsUs).toBe(START_US + 30 * SECOND_US);
  const giveBack = (id: string) => {
    const at = START_US + 20 * SECOND_US;
    return refundInMemory(memory, at, ["k"], [1], policies, START_US, { id, ttlUs: 0 });
  };
  expect([giveBack("a"), giveBack("b"), giveBack("b")]).toEqual([[0], [1], [0]]);
});
