import { readdir, readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { PICTURES } from "../../bench/benchmark/plot/plot.ts";
import { readResults } from "../../bench/benchmark/results.ts";
import { PICTURES as SURGE_PICTURES } from "../../bench/surge/report/pictures/pictures.ts";
import { readResults as readSurge } from "../../bench/surge/results.ts";
import { expectPicture } from "./expect-picture.ts";
import { parseSvg } from "./text-boxes.ts";

const results = await readResults("bench/results.json");
const surge = await readSurge("bench/surge.json");
const drawn = Object.entries(PICTURES).map(([name, draw]) => [name, draw(results)!] as const);
const drawnSurge = Object.entries(SURGE_PICTURES).map(
  ([name, draw]) => [`surge-${name}`, draw(surge)] as const,
);
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
  test.each(names)("%s has all its series", (name) => {
    const picture = parseSvg(PICTURES[name]!(results)!);
    const { panels, marks, count } = MARKS[name]!;
    expect(picture.querySelectorAll(":scope > svg")).toHaveLength(panels);
    expect(picture.querySelectorAll(marks)).toHaveLength(count);
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

  test.each(names)("%s is left out where it was not measured", (name) => {
    expect(PICTURES[name]!({ parts: {} })).toBeUndefined();
  });
});

test.each([...drawn, ...drawnSurge])(
  "bench/%s.svg shows what the results have",
  async (name, svg) => {
    expect(await readFile(`bench/${name}.svg`, "utf8")).toBe(svg);
    expectPicture(svg);
  },
);

test("there are no others, and docs/surge.md shows each of the surge", async () => {
  const files = (await readdir("bench")).filter((file) => file.endsWith(".svg"));
  const all = [...drawn, ...drawnSurge].map(([name]) => `${name}.svg`);
  expect(files.sort()).toEqual(all.sort());
  const document = await readFile("docs/surge.md", "utf8");
  const shown = [...document.matchAll(/\]\(\.\.\/bench\/(surge-.*?)\.svg\)/g)];
  expect(shown.map(([, name]) => name).sort()).toEqual(drawnSurge.map(([name]) => name).sort());
});
