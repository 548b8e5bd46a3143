import { expect, test } from "vitest";

import { pointerTo, validatorOf } from "../admin/described.ts";
import { statsFor, topFor } from "./counts.ts";

const ORIGIN = "http://gateway.example/_tidegate/api/v1";
const SPAN = "from=1925024400000&to=1925028000000";

test.each([
  ["/stats", `?step=minute&${SPAN}`, statsFor],
  ["/stats", `?step=hour&${SPAN}`, statsFor],
  ["/top", `?kind=denied&${SPAN}`, topFor],
  ["/top", `?kind=near&${SPAN}`, topFor],
])("what is made up for %s%s is what the API answers", (path, query, make) => {
  const isValid = validatorOf(pointerTo(path, "get", 200));
  expect([isValid(make(new URL(ORIGIN + path + query))), isValid.errors]).toEqual([true, null]);
});

test("each list of made-up counts has a number for each moment", () => {
  const { times, ...series } = statsFor(new URL(`${ORIGIN}/stats?step=minute&${SPAN}`)) as Record<
    string,
    readonly unknown[]
  >;
  const lengths = Object.values(series)
    .filter((value) => Array.isArray(value))
    .flat()
    .flatMap((each) => (each as { readonly counts?: readonly number[] }).counts?.length ?? []);
  expect(new Set(lengths)).toEqual(new Set([times!.length]));
});
