import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { PICTURES } from "../../bench/benchmark/pictures.ts";
import { readResults } from "../../bench/benchmark/results.ts";
import { PICTURES as SURGE_PICTURES } from "../../bench/surge/pictures.ts";
import { readResults as readSurge } from "../../bench/surge/results.ts";

const results = await readResults("bench/results.json");
const surge = await readSurge("bench/surge.json");
const drawn = [
  ...Object.entries(PICTURES).map(([name, draw]) => [name, draw(results)!] as const),
  ...Object.entries(SURGE_PICTURES).map(([name, draw]) => [`surge-${name}`, draw(surge)] as const),
];

test.each(drawn)("bench/%s.svg shows what the results have", async (name, svg) => {
  expect(await readFile(`bench/${name}.svg`, "utf8")).toBe(svg);
});

test("the documents show each picture, and there are no others", async () => {
  const files = (await readdir("bench")).filter((file) => file.endsWith(".svg"));
  const texts = await Promise.all(
    ["README.md", "docs/figures.md", "docs/regions.md", "docs/surge.md"].map((file) =>
      readFile(file, "utf8"),
    ),
  );
  const shown = texts.flatMap((text) =>
    [...text.matchAll(/\]\((?:\.\.\/)?bench\/(.*?\.svg)\)/g)].map(([, file]) => file!),
  );
  expect(files.sort()).toEqual(drawn.map(([name]) => `${name}.svg`).sort());
  expect([...new Set(shown)].sort()).toEqual(files);
});
