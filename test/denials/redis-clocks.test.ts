import fc from "fast-check";
import { expect, test } from "vitest";

import { createRedisClocks } from "../../src/decide/redis-clocks.ts";

/** Redis's clock against the isolate's, in milliseconds and as a share. */
interface Truth {
  readonly ahead: number;
  readonly drift: number;
}

const shownAt = ({ ahead, drift }: Truth, moment: number) =>
  Math.floor((ahead + moment * (1 + drift)) * 1000);

test("an answer that is the first of its partition is dated by its sending", () => {
  const clocks = createRedisClocks();
  expect(clocks.note("a", 5_000_000, 100, 116)).toBe(100);
  // Another partition may live on another master.
  expect(clocks.note("b", 5_050_000, 100, 116)).toBe(100);
});

test("a fast way dates the answers after a slow one", () => {
  const clocks = createRedisClocks();
  // Redis is 1,000 ms ahead; the ways there take 1 ms, then 9 ms.
  clocks.note("a", 1_101_000, 100, 102);
  expect(clocks.note("a", 1_209_000, 200, 210)).toBeCloseTo(208, 0);
  expect(clocks.note("a", 1_209_000, 200, 210)).toBeLessThanOrEqual(208);
});

test("no answer is dated later than Redis gave it, nor before it was asked", () => {
  const trip = fc.record({
    pause: fc.integer({ min: 0, max: 30_000 }),
    there: fc.double({ min: 0.01, max: 200, noNaN: true }),
    back: fc.double({ min: 0.01, max: 200, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(trip, { minLength: 2, maxLength: 20 }),
      fc.record({
        ahead: fc.integer({ min: 0, max: 2e12 }),
        drift: fc.double({ min: -4.9e-4, max: 4.9e-4, noNaN: true }),
      }),
      (trips, truth) => {
        const clocks = createRedisClocks();
        let now = 0;
        for (const { pause, there, back } of trips) {
          const sentAt = now + pause;
          const handledAt = sentAt + there;
          now = handledAt + back;
          const dated = clocks.note("a", shownAt(truth, handledAt), sentAt, now);
          expect(dated).toBeLessThanOrEqual(handledAt);
          expect(dated).toBeGreaterThanOrEqual(sentAt);
        }
      },
    ),
  );
});

test("a step of Redis's clock that no way explains is noticed, and a smaller one forgotten", () => {
  const clocks = createRedisClocks();
  clocks.note("a", 1_101_000, 100, 102);
  // 50 ms forwards: dated by the known clock, it would have been given after it was received.
  expect(clocks.note("a", 1_255_000, 200, 210)).toBe(200);
  // Then 3 ms forwards; ten seconds after the answer that says otherwise, its effect is gone.
  expect(clocks.note("a", 1_362_000, 300, 310)).toBeGreaterThan(300);
  expect(clocks.note("a", 11_262_000, 10_200, 10_210)).toBe(10_200);
});

test("a step back is taken over at once", () => {
  const clocks = createRedisClocks();
  clocks.note("a", 1_101_000, 100, 102);
  expect(clocks.note("a", 705_000, 200, 210)).toBe(200);
  expect(clocks.note("a", 809_000, 300, 310)).toBeGreaterThan(303);
  expect(clocks.note("a", 809_000, 300, 310)).toBeLessThanOrEqual(304);
});

test("it stays within its entries", () => {
  const clocks = createRedisClocks();
  clocks.note("hot", 1_101_000, 100, 102);
  clocks.note("cold", 1_101_000, 100, 102);
  for (let flood = 0; flood < 999; flood++) {
    clocks.note("hot", 1_209_000, 200, 210);
    clocks.note(`flood-${flood}`, 1_209_000, 200, 210);
  }
  expect(clocks.note("hot", 1_209_000, 200, 210)).toBeGreaterThan(200);
  expect(clocks.note("cold", 1_209_000, 200, 210)).toBe(200);
});
