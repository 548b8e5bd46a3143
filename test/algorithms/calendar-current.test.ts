import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { NEIGHBOUR } from "../../src/algorithms/calendar-window.ts";
import { follow } from "../../src/algorithms/calendar/current.ts";
import { openZone } from "../../src/algorithms/calendar/zone.ts";

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2031, 2, 10, 12);
const zone = openZone("UTC")!;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("a clock that goes back shows the earlier windows, with those beside them", () => {
  let nowMs = NOON_MS;
  const windowOfNow = follow({ unit: "day", zone, anchor: 0 }, () => nowMs);
  for (const day of [10, 9, 8, 11, 10]) {
    nowMs = Date.UTC(2031, 2, day, 12);
    expect(windowOfNow()).toEqual({
      startsUs: Date.UTC(2031, 2, day) * 1000,
      endsUs: Date.UTC(2031, 2, day + 1) * 1000,
      neighbours: 86_400 * NEIGHBOUR + 86_400,
    });
  }
});

test("each window has those beside it, also where no timer renews the list", () => {
  let nowMs = NOON_MS;
  const windowOfNow = follow({ unit: "hour", zone, anchor: 0 }, () => nowMs);
  for (; nowMs < NOON_MS + 600 * HOUR_MS; nowMs += HOUR_MS) {
    expect(windowOfNow()).toEqual({
      startsUs: nowMs * 1000,
      endsUs: (nowMs + HOUR_MS) * 1000,
      neighbours: 3_600 * NEIGHBOUR + 3_600,
    });
  }
});
