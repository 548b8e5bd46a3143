import { expect, onTestFinished, test, vi } from "vitest";

import { openZone } from "../../src/algorithms/calendar-zone.ts";

const DAY_MS = 86_400_000;

/** New York's clocks are set back in 2027. */
const CHANGE_MS = Date.parse("2027-11-07T06:00:00Z");

// A search between whole milliseconds and a part of one would never end. Redis's clock has microseconds.
test("a look that ends a microsecond after a change of offset finds it", () => {
  // Zones of the same clocks, because a look is kept.
  for (const [name, daysAfter] of [
    ["America/Detroit", 470],
    ["America/Toronto", 463],
  ] as const) {
    const { stretches } = openZone(name)!.around(CHANGE_MS + 0.001 - daysAfter * DAY_MS);
    expect(stretches.every(({ fromMs }) => Number.isInteger(fromMs))).toBe(true);
    if (daysAfter < 470) expect(stretches.at(-1)!.fromMs).toBe(CHANGE_MS);
  }
});

test("offsets before 1972 may have seconds", () => {
  const moment = Date.UTC(1971, 0, 1);
  expect(openZone("Africa/Monrovia")!.localAt(moment)).toBe(moment - (44 * 60 + 30) * 1000);
});

test("two changes within a week are both found", () => {
  const [firstMs, secondMs] = [Date.UTC(2027, 4, 4, 1), Date.UTC(2027, 4, 6, 1)];
  const hoursAt = (ms: number) => (ms < firstMs ? 1 : ms < secondMs ? 2 : 4);
  const format = vi.spyOn(Intl, "DateTimeFormat").mockImplementation(function zoneOfTest() {
    return { format: (ms: number) => `5/4/2027, GMT+0${hoursAt(ms)}:00` } as never;
  });
  onTestFinished(() => void format.mockRestore());
  // So that one step of the search has both.
  const { stretches } = openZone("Test/Two_Changes")!.around(firstMs + 3 * DAY_MS);
  expect(stretches.slice(1)).toEqual([
    { fromMs: firstMs, offsetMs: 2 * 3_600_000 },
    { fromMs: secondMs, offsetMs: 4 * 3_600_000 },
  ]);
});

test("a look is kept while it has 70 days before a moment and 200 days after it", () => {
  const zone = openZone("Asia/Tokyo")!;
  const startMs = Date.UTC(2031, 0, 1);
  const first = zone.around(startMs);
  expect(first).toMatchObject({
    stretches: [{ fromMs: startMs - 70 * DAY_MS }],
    untilMs: startMs + 470 * DAY_MS,
  });
  const lastMs = startMs + 270 * DAY_MS;
  for (const ms of [startMs + 0.5, lastMs]) expect(zone.around(ms)).toBe(first);
  expect(zone.around(lastMs + 1).untilMs).toBe(lastMs + 1 + 470 * DAY_MS);
  // The clock went back.
  const earlier = zone.around(lastMs);
  expect(earlier.untilMs).toBe(lastMs + 470 * DAY_MS);
  expect(zone.around(lastMs + 1)).toBe(earlier);
});
