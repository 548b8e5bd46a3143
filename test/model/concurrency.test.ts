import { expect, test } from "vitest";

import { concurrency } from "../../src/features/holds/concurrency-option.ts";
import { extendSlots } from "../../src/store/memory-slots.ts";
import { refundInMemory } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { compile } from "../support/compile-policy.ts";
import { random } from "../support/random.ts";

const START = 1_800_000_000_000_000;
const TTL_US = 10e6;

interface Held {
  readonly id: string;
  readonly untilUs: number;
}

/**
 * Many holds on one partition, each kept for a time of its own, some released, some extended, some forgotten, by a book that
 * only adds up. Tells how often each thing happened.
 */
function attack(limit: number, stepsBack: boolean, seed: number) {
  const memory = createMemory();
  const policies = compile([concurrency({ limit, ttl: "10s" })]);
  const keys = ["tg:{a}:slots"];
  const next = random(seed);
  const happened = { taken: 0, denied: 0, released: 0, extended: 0, expired: 0, lost: 0 };
  let nowUs = START;
  let book: Held[] = [];
  let hold = 0;
  for (let round = 0; round < 4_000; round++) {
    nowUs += Math.floor(next() * (TTL_US / limit / 4));
    if (stepsBack && next() < 0.02) {
      nowUs -= Math.floor(next() * 3 * TTL_US);
      book = book.map(({ id, untilUs }) => ({ id, untilUs: Math.min(untilUs, nowUs + TTL_US) }));
    }
    const forgotten = book.length;
    book = book.filter(({ untilUs }) => untilUs > nowUs);
    happened.expired += forgotten - book.length;
    const ttlUs = 1e6 + Math.floor(next() * TTL_US);
    const untilUs = nowUs + Math.min(ttlUs, TTL_US);
    const some = book[Math.floor(next() * book.length)];
    const kind = next();
    if (kind < 0.6 || !some) {
      const slot = { id: `${hold++}`, ttlUs };
      const [row] = memory.decide(nowUs, "consume", keys, [1], policies, slot).rows;
      // Never more than the limit, and not fewer than there is room for. After a step back a slot that had expired may
      // count again.
      if (!stepsBack || book.length === limit) expect(row!.allowed).toBe(book.length < limit);
      happened[row!.allowed ? "taken" : "denied"]++;
      if (row!.allowed) book.push({ id: slot.id, untilUs });
      else if (!stepsBack) {
        const ends = book.map((each) => each.untilUs).sort((a, b) => a - b);
        expect(row!.retryAfterUs).toBe(ends[0]! - nowUs);
      }
    } else if (kind < 0.8) {
      refundInMemory(memory, nowUs, keys, [1], policies, nowUs, { id: some.id, ttlUs });
      book = book.filter((each) => each !== some);
      happened.released++;
    } else if (kind < 0.95) {
      expect(extendSlots(memory, nowUs, keys, policies, { id: some.id, ttlUs })).toEqual([true]);
      book = book.map((each) => (each === some ? { id: each.id, untilUs } : each));
      happened.extended++;
    } else {
      const slot = { id: `gone-${hold}`, ttlUs };
      expect(extendSlots(memory, nowUs, keys, policies, slot)).toEqual([false]);
      happened.lost++;
    }
    const [seen] = memory.decide(nowUs, "peek", keys, [1], policies).rows;
    const last = Math.max(nowUs, ...book.map((each) => each.untilUs));
    if (stepsBack) {
      expect(seen!.remaining).toBeLessThanOrEqual(limit - book.length);
    } else {
      expect(seen!.remaining).toBe(limit - book.length);
      expect(seen!.resetAfterUs).toBe(last - nowUs);
    }
    // After any events, all slots are usable again within the ttl.
    expect(seen!.resetAfterUs).toBeLessThanOrEqual(TTL_US);
  }
  return happened;
}

test.for(
  [1, 2, 7, 40].flatMap((limit) => [false, true].map((stepsBack) => ({ limit, stepsBack }))),
)(
  "never more than $limit slots are kept, each for its own time; the clock steps back: $stepsBack",
  ({ limit, stepsBack }) => {
    const happened = attack(limit, stepsBack, limit);
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(50);
  },
);
