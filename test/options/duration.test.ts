import { expect, test } from "vitest";

import { checkDuration, parseDuration } from "../../src/options/duration.ts";
import { Faults } from "../../src/options/faults.ts";

test.for<[string, number]>([
  ["1ms", 1_000],
  ["250ms", 250_000],
  ["1s", 1_000_000],
  ["1.1s", 1_100_000],
  ["0.000001s", 1],
  ["1.000003s", 1_000_003],
  ["2.5m", 150_000_000],
  ["1h", 3_600_000_000],
  ["366d", 31_622_400_000_000],
])("%s is %i microseconds", ([text, microseconds]) => {
  expect(parseDuration(text)).toBe(microseconds);
});

test.for([
  "",
  "s",
  "1",
  " 1s",
  "1s ",
  "1S",
  "1e3s",
  "+1s",
  "1,5s",
  ".5s",
  "1.s",
  "0.0001ms",
  "1.0000001s",
  "9".repeat(15) + "d",
  "１s",
])("%j is no duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([
  ["1 month", true],
  ["weekly", true],
  ["1 Day", true],
  // Too long, but no name of a calendar.
  ["5m", false],
  ["5M", false],
])("the fault of %j names windows of a calendar: %j", (given, isTold) => {
  const faults = new Faults();
  checkDuration(given, { min: "1ms", max: "1s", example: "50ms" }, "timeout", faults);
  expect(faults.list.map(({ remedy }) => remedy.includes("of a calendar"))).toEqual([isTold]);
});
