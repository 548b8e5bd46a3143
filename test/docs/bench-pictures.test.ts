import { readdir, readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { PICTURES } from "../../bench/benchmark/plot/plot.ts";
import { readResults } from "../../bench/benchmark/results.ts";
import { expectPicture } from "./expect-picture.ts";

const results = await readResults("bench/results.json");
const names = Object.keys(PICTURES);

/** Panels, and marks of each kind, as the results have figures. */
const MARKS: Record<string, { panels: number; marks: string; count: number }> = {
  trips: { panels: 3, marks: '[aria-label="line"] path', count: 8 },
  "wrongly-denied": { panels: 3, marks: '[aria-label="line"] path', count: 8 },
  workerd: { panels: 4, marks: '[aria-label="bar"] rect', count: 8 },
  redis: { panels: 5, marks: '[aria-label="bar"] rect', count: 15 },
  edge: { panels: 1, marks: '[aria-label="dot"] circle', count: 8 },
  bundle: { panels: 2, marks: '[aria-label="bar"] rect', count: 4 },
  distance: { panels: 2, marks: '[aria-label="line"] path', count: 16 },
  excess: { panels: 1, marks: '[aria-label="line"] path', count: 8 },
};

describe("the pictures of the benchmark", () => {
  test.each(names)("%s has a message, all its series, and no text beyond its edges", (name) => {
    const picture = expectPicture(PICTURES[name]!(results)!);
    const { panels, marks, count } = MARKS[name]!;
    expect(picture.querySelectorAll(":scope > svg")).toHaveLength(panels);
    expect(picture.querySelectorAll(marks)).toHaveLength(count);
  });

  test.each(names)("bench/%s.svg shows what bench/results.json has", async (name) => {
    expect(await readFile(`bench/${name}.svg`, "utf8")).toBe(PICTURES[name]!(results));
  });

  test("titles state the result that the figures have, and change with it", () => {
    const titleOf = (name: string, given = results) =>
      expectPicture(PICTURES[name]!(given)!).getAttribute("aria-label");
    expect(titleOf("wrongly-denied")).toMatch(
      /^@upstash\/ratelimit wrongly denies up to [\d.]+ % of admissible requests, Tidegate [\d.]+ %$/,
    );
    const trips = results.parts["trips"]!;
    const figures = trips.figures.map((figure) =>
      figure.name.endsWith("of the admissible, lost to the cache")
        ? { ...figure, tidegate: 0, peer: { ...figure.peer!, value: 12.34 } }
        : figure,
    );
    const changed = { parts: { ...results.parts, trips: { ...trips, figures } } };
    expect(titleOf("wrongly-denied", changed)).toBe(
      "@upstash/ratelimit wrongly denies up to 12.3 % of admissible requests, Tidegate 0 %",
    );
  });

  test("there are no others", async () => {
    const files = (await readdir("bench")).filter((file) => /^(?!surge).*\.svg$/.test(file));
    expect(files.sort()).toEqual(names.map((name) => `${name}.svg`).sort());
  });

  test.each(names)("%s is left out where it was not measured", (name) => {
    expect(PICTURES[name]!({ parts: {} })).toBeUndefined();
  });
});
