import { expect, test } from "vitest";

import { openZone } from "../../src/algorithms/calendar/zone.ts";

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

test("offsets of before 1972 may have seconds", () => {
  const moment = Date.UTC(1971, 0, 1);
  expect(openZone("Africa/Monrovia")!.localAt(moment)).toBe(moment - (44 * 60 + 30) * 1000);
});
