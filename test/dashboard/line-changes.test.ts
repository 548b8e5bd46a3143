import { Chunk } from "@codemirror/merge";
import { Text } from "@codemirror/state";
import fc from "fast-check";
import { expect, test } from "vitest";

import { changesByLine } from "../../packages/dashboard/src/code/compare.ts";
import { runs } from "../support/runs.ts";

const texts = fc
  .array(fc.constantFrom("a", "ab", "limit 1", "limit 2", "{", ""), { maxLength: 30 })
  .map((lines) => lines.join("\n"));

test("changes lead from one text to the other, and are none where both are the same", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      let [made, end] = ["", 0];
      for (const { fromA, toA, fromB, toB } of changesByLine(before, after)) {
        made += before.slice(end, fromA) + after.slice(fromB, toB);
        end = toA;
      }
      expect(made + before.slice(end)).toBe(after);
      expect(changesByLine(before, before)).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});

/** A thousand rules, whose limits are these. */
function rulesWith(limitOf: (i: number) => number): Text {
  const rules = Array.from({ length: 1_000 }, (_, i) => ({
    path: `/api/resource-${i}/*`,
    policies: [{ algorithm: "fixed-window", limit: limitOf(i), window: "1h" }],
  }));
  return Text.of(JSON.stringify({ rules }, undefined, 2).split("\n"));
}

test.each([1, 10, 100, 1_000])("%i changes in a thousand rules are told one by one", (changes) => {
  const before = rulesWith(() => 20);
  const after = rulesWith((i) => (i % (1_000 / changes) === 0 ? 31 : 20));
  const chunks = Chunk.build(before, after, { override: changesByLine });
  expect(chunks).toHaveLength(changes);
  for (const { fromB, endB } of chunks) {
    expect(after.sliceString(fromB, endB).trim()).toBe('"limit": 31,');
  }
});

test("texts with nothing in common are one change", () => {
  const line = (side: string) => Array.from({ length: 20_000 }, (_, i) => `${side}${i}`).join("\n");
  expect(changesByLine(line("a"), line("b"))).toHaveLength(1);
});
