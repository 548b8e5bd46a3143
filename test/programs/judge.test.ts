import { expect, test } from "vitest";

import { judge } from "../../bench/benchmark/distance/judge.ts";
import { LIMIT, RATE } from "../../bench/benchmark/distance/names.ts";
import type { Answered } from "../../bench/benchmark/distance/replay.ts";

const ROUND_TRIP_MS = 30;
const UNIT_MS = 1_000 / RATE;

const asked = (askedAtMs: number, allowed: boolean, identity = "somebody"): Answered => ({
  identity,
  askedAtMs,
  answeredAtMs: askedAtMs + ROUND_TRIP_MS,
  allowed,
});

const burst = (count: number, allowed: boolean) =>
  Array.from({ length: count }, () => asked(0, allowed));

const judged = (requests: readonly Answered[]) => judge(requests, ROUND_TRIP_MS)[0];

test("all units that an exact model admits are the admissible ones", () => {
  const exact = [...burst(LIMIT, true), ...burst(7, false), asked(UNIT_MS, true)];
  expect(judged(exact)).toEqual({
    identity: "somebody",
    admitted: LIMIT + 1,
    admissible: LIMIT + 1,
    burst: 0,
    wronglyDenied: 0,
  });
});

test("units above the bucket are an excess, and the denials that pay for them are right", () => {
  const late = Array.from({ length: 7 }, (_, i) => asked((i + 1) * UNIT_MS, false));
  expect(judged([...burst(LIMIT + 7, true), ...late])).toMatchObject({
    admitted: LIMIT + 7,
    // The model admits one of the late requests for each unit that the bucket refills.
    admissible: LIMIT + 7,
    burst: 7,
    wronglyDenied: 0,
  });
});

test("a denial is wrong if the bucket had room before, during and after its way to Redis", () => {
  const after = (units: number) => [...burst(LIMIT, true), asked(units * UNIT_MS, false)];
  expect(judged(after(1))).toMatchObject({ wronglyDenied: 0 });
  expect(judged(after(2))).toMatchObject({ wronglyDenied: 1 });
  const taken = asked(2 * UNIT_MS + ROUND_TRIP_MS, true);
  expect(judged([...after(2), taken])).toMatchObject({ wronglyDenied: 1 });
  const both = [taken, asked(2 * UNIT_MS + ROUND_TRIP_MS, true)];
  expect(judged([...after(2), ...both])).toMatchObject({ wronglyDenied: 0 });
});

test("each identity has a bucket of its own", () => {
  const other = Array.from({ length: LIMIT }, () => asked(0, true, "another"));
  expect(judge([...burst(LIMIT, true), ...other], ROUND_TRIP_MS)).toMatchObject([
    { identity: "somebody", burst: 0 },
    { identity: "another", burst: 0 },
  ]);
});
