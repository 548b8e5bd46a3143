import { expect, test } from "vitest";

import { Faults } from "../../src/options/faults.ts";
import { checkOptions, nearest } from "../../src/options/unknown-options.ts";

test("of more than 30 unknown options, the first 30 are faults", () => {
  const faults = new Faults();
  const names = Array.from({ length: 31 }, (_, i) => `unknown${i}`);
  checkOptions(Object.fromEntries(names.map((name) => [name, 1])), ["limit"], "policy.", faults);
  expect(faults.list.map(({ path }) => path)).toEqual(
    names.slice(0, 30).map((name) => `policy.${name}`),
  );
});

test("a hint looks at the first 1,000 words", () => {
  const others = Array.from({ length: 999 }, (_, i) => `${i}`.padStart(20, "x"));
  expect(nearest("gold", [...others, "gold"])).toBe("gold");
  expect(nearest("gold", [...others, "x", "gold"])).toBeUndefined();
});

test.for([
  ["Limit", "limit"],
  ["limit", "Limit"],
  ["LIMTS", "limit"],
  ["mit", "limit"],
  ["limitxx", "limit"],
])("%s is near to %s", ([word, known]) => {
  expect(nearest(word!, [known!])).toBe(known);
});
