import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { follow } from "../../src/algorithms/calendar-definition.ts";
import { openZone } from "../../src/algorithms/calendar-zone.ts";

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2031, 2, 10, 12);
const zone = openZone("UTC")!;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("a clock that goes back shows the earlier windows, with the length of the next", () => {
  let nowMs = NOON_MS;
  const windowOfNow = follow({ unit: "day", zone, anchor: 0 }, () => nowMs);
  for (const day of [10, 9, 8, 11, 10]) {
    nowMs = Date.UTC(2031, 2, day, 12);
    expect(windowOfNow()).toEqual({
      startsUs: Date.UTC(2031, 2, day) * 1000,
      endsUs: Date.UTC(2031, 2, day + 1) * 1000,
      followingUs: 86_400e6,
    });
  }
});

test("each window has the length of the next, also where no timer renews the list", () => {
  let nowMs = NOON_MS;
  const windowOfNow = follow({ unit: "hour", zone, anchor: 0 }, () => nowMs);
  for (; nowMs < NOON_MS + 600 * HOUR_MS; nowMs += HOUR_MS) {
    expect(windowOfNow()).toEqual({
      startsUs: nowMs * 1000,
      endsUs: (nowMs + HOUR_MS) * 1000,
      followingUs: 3_600e6,
    });
  }
});

test("boundaries are computed once half of them have passed, right after that request, and no more often", () => {
  let nowMs = NOON_MS;
  const around = vi.fn(zone.around);
  const windowOfNow = follow({ unit: "hour", zone: { ...zone, around }, anchor: 0 }, () => nowMs);
  // The first of 256 is that of the hour before.
  for (const [hours, timers] of [
    [127, 0],
    [128, 1],
  ] as const) {
    nowMs = NOON_MS + hours * HOUR_MS;
    expect(windowOfNow()).toBe(windowOfNow());
    expect([vi.getTimerCount(), around.mock.calls.length]).toEqual([timers, 1]);
  }
  vi.advanceTimersByTime(1);
  expect(around).toHaveBeenCalledTimes(2);
  // After weeks without a request, this one computes them, and those after it have them.
  for (nowMs += 400 * HOUR_MS; nowMs < NOON_MS + 540 * HOUR_MS; nowMs += HOUR_MS) windowOfNow();
  expect([vi.getTimerCount(), around.mock.calls.length]).toEqual([0, 3]);
});
