import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { storeOver } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { random } from "../support/random.ts";

/*
 * Calendar windows on the model, which test/lua/calendar-window.test.ts holds equal to the script. The boundaries are written
 * down here, as read from a calendar.
 */

const HOUR_US = 3600e6;
const us = (moment: string) => Date.parse(moment) * 1000;

/** A store with a clock, and isolates whose clocks are ahead of it. */
function counterAt(moment: string) {
  const clock = { nowUs: us(moment) };
  const store = storeOver(createMemory(), () => clock.nowUs);
  const policyOf = (options: object, aheadUs = 0) =>
    compileAt(
      () => clock.nowUs + aheadUs,
      fixedWindow({ name: "c", limit: 5, ...options } as Parameters<typeof fixedWindow>[0]),
    );
  return {
    clock,
    policyOf,
    consume: (policies: ReturnType<typeof policyOf>, cost = 1) =>
      store.decide("consume", ["k"], [cost], policies).rows[0]!,
    peek: (policies: ReturnType<typeof policyOf>) =>
      store.decide("peek", ["k"], [1], policies).rows[0]!,
    giveBack: (policies: ReturnType<typeof policyOf>, takenAtUs: number) =>
      store.refund(["k"], [1], policies, { nowUs: takenAtUs })[0]!,
  };
}

describe.each([
  [
    { window: "day", timeZone: "Europe/Berlin" },
    23,
    "2026-03-28T23:00:00Z",
    "2026-03-29T22:00:00Z",
  ],
  [
    { window: "day", timeZone: "Europe/Berlin" },
    25,
    "2026-10-24T22:00:00Z",
    "2026-10-25T23:00:00Z",
  ],
  [{ window: "month", anchor: 31 }, 696 + 24, "2028-01-31T00:00:00Z", "2028-02-29T00:00:00Z"],
])("a window %j of %i hours", (options, _hours, from, until) => {
  test.each([0, 1, -1, 20, -20])(
    "admits the limit under constant pressure, by an isolate that is %i hours ahead",
    (aheadHours) => {
      const { clock, policyOf, consume } = counterAt(from);
      const policies = policyOf(options, aheadHours * HOUR_US);
      const admitted = { before: 0, within: 0, after: 0 };
      clock.nowUs = us(from) - HOUR_US;
      // A request each ten minutes, one in the last microsecond of each window and one in the first of the next.
      for (; clock.nowUs < us(until) + HOUR_US; clock.nowUs += 600e6) {
        for (const nudge of clock.nowUs === us(from) || clock.nowUs === us(until) ? [-1, 0] : [0]) {
          clock.nowUs += nudge;
          const place =
            clock.nowUs < us(from) ? "before" : clock.nowUs < us(until) ? "within" : "after";
          const row = consume(policies);
          admitted[place] += Number(row.allowed);
          // To the true boundary, to the microsecond.
          if (place === "within") expect(clock.nowUs + row.resetAfterUs).toBe(us(until));
          clock.nowUs -= nudge;
        }
      }
      expect(admitted).toEqual({ before: 5, within: 5, after: 5 });
    },
  );
});

test("isolates whose clocks differ by hours count in one window", () => {
  const { clock, policyOf, consume } = counterAt("2026-05-10T23:50:00Z");
  const isolates = [0, 20, -20].map((hours) => policyOf({ window: "day" }, hours * HOUR_US));
  const admitted: number[] = [];
  for (let i = 0; i < 60; i++) {
    if (consume(isolates[i % 3]!).allowed) admitted.push(clock.nowUs);
    clock.nowUs += 60e6;
  }
  const midnight = us("2026-05-11T00:00:00Z");
  expect(admitted.filter((at) => at < midnight)).toHaveLength(5);
  expect(admitted.filter((at) => at >= midnight)).toHaveLength(5);
});

test.each([100, -100])(
  "an isolate that is %i days ahead forgets nothing that others counted",
  (days) => {
    const { clock, policyOf, consume, peek } = counterAt("2026-05-10T12:00:00Z");
    const [right, wrong] = [0, days].map((ahead) =>
      policyOf({ window: "day" }, ahead * 24 * HOUR_US),
    );
    for (let i = 0; i < 5; i++) expect(consume(i % 2 ? wrong! : right!).allowed).toBe(true);
    expect(consume(wrong!).allowed).toBe(false);
    const { retryAfterUs } = peek(right!);
    expect(clock.nowUs + (retryAfterUs || 0)).toBe(us("2026-05-11T00:00:00Z"));
    clock.nowUs = us("2026-05-11T00:00:00Z");
    for (let i = 0; i < 5; i++) expect(consume(i % 2 ? right! : wrong!).allowed).toBe(true);
    expect(consume(right!).allowed).toBe(false);
    // The wrong one began the window: the right one has put its end in place.
    expect(clock.nowUs + peek(right!).retryAfterUs).toBe(us("2026-05-12T00:00:00Z"));
  },
);

describe("two isolates with different data about a zone", () => {
  const ZONES = ["Etc/GMT-1", "Etc/GMT-2"];

  test.each([
    ["day", 30, 60],
    ["month", 240, 600],
  ])("share each %s: it has its limit once, for either of them", (window, days, gapSeconds) => {
    const { clock, policyOf, consume } = counterAt("2026-05-10T12:00:00Z");
    const isolates = ZONES.map((timeZone) => policyOf({ window, timeZone, limit: 100 }));
    const draw = random(1);
    const untilUs = clock.nowUs + days * 24 * HOUR_US;
    const admitted: number[] = [];
    while (clock.nowUs < untilUs) {
      clock.nowUs += Math.ceil(draw() * gapSeconds * 1e6);
      if (consume(isolates[Math.floor(draw() * 2)]!).allowed) admitted.push(clock.nowUs);
    }
    // The boundaries of the first one are an hour later: 23:00 of UTC.
    let [last, windows] = [us("2026-05-10T00:00:00Z"), 0];
    for (let at = us("2026-05-10T23:00:00Z"); at < untilUs; at += 24 * HOUR_US) {
      if (window === "month" && new Date(at / 1000 + 3_600_000).getUTCDate() !== 1) continue;
      const within = admitted.filter((each) => each >= last && each < at - HOUR_US);
      const around = admitted.filter((each) => each >= last - HOUR_US && each < at);
      expect(within.length).toBeLessThanOrEqual(100);
      expect(around.length).toBeGreaterThanOrEqual(100);
      [last, windows] = [at, windows + 1];
    }
    expect(windows).toBeGreaterThan(6);
    expect(admitted.filter((each) => each < last - HOUR_US)).toHaveLength(100 * windows);
  });

  test("never give back what the window before has counted", () => {
    const { clock, policyOf, consume, giveBack, peek } = counterAt("2026-05-10T21:30:00Z");
    const [late, early] = ZONES.map((timeZone) => policyOf({ window: "day", timeZone }));
    consume(late!);
    // By its own calendar, this is the next day already; the day that counts goes on until 23:00.
    clock.nowUs = us("2026-05-10T22:30:00Z");
    consume(early!, 2);
    const takenAtUs = clock.nowUs;
    clock.nowUs = us("2026-05-10T23:10:00Z");
    expect(consume(early!, 4).allowed).toBe(true);
    expect(giveBack(early!, takenAtUs)).toBe(0);
    expect(peek(late!).remaining).toBe(1);
    clock.nowUs = us("2026-05-11T12:00:00Z");
    consume(early!);
    expect(giveBack(late!, clock.nowUs)).toBe(1);
  });
});

test("a clock that goes back behind a boundary leaves the window after it as it is", () => {
  const { clock, policyOf, consume } = counterAt("2026-06-01T00:00:00Z");
  const policies = policyOf({ window: "month" });
  for (let i = 0; i < 5; i++) expect(consume(policies).allowed).toBe(true);
  clock.nowUs -= 1e6;
  expect(consume(policies)).toMatchObject({
    allowed: false,
    retryAfterUs: 30 * 24 * HOUR_US + 1e6,
  });
  clock.nowUs += 2e6;
  expect(consume(policies).allowed).toBe(false);
  // By more than a month: the count is held against the month that is now.
  clock.nowUs = us("2026-02-10T00:00:00Z");
  expect(clock.nowUs + consume(policies).retryAfterUs).toBe(us("2026-03-01T00:00:00Z"));
});

test("units of a window come back in it, and not in the next", () => {
  const { clock, policyOf, consume, giveBack } = counterAt("2026-05-31T23:59:00Z");
  const policies = policyOf({ window: "month" });
  const takenAtUs = clock.nowUs;
  consume(policies, 3);
  expect(giveBack(policies, takenAtUs)).toBe(1);
  // An isolate whose clock has passed the boundary already, and one that is far behind.
  expect(giveBack(policyOf({ window: "month" }, 120e6), takenAtUs)).toBe(1);
  expect(giveBack(policyOf({ window: "month" }, -20 * 24 * HOUR_US), takenAtUs)).toBe(1);
  consume(policies, 3);
  clock.nowUs = us("2026-06-01T00:00:00Z");
  consume(policies, 1);
  expect(giveBack(policies, takenAtUs)).toBe(0);
});
