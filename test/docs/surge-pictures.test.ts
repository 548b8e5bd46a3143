import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { PICTURES } from "../../bench/surge/report/pictures/pictures.ts";
import { readResults } from "../../bench/surge/results.ts";
import { expectPicture } from "./expect-picture.ts";

const results = await readResults("bench/surge.json");
const names = Object.keys(PICTURES);

test.each(names)("bench/surge-%s.svg shows what bench/surge.json has", async (name) => {
  const committed = await readFile(`bench/surge-${name}.svg`, "utf8");
  expect(committed).toBe(PICTURES[name]!(results));
  expectPicture(committed);
});

test("there are no others, and docs/surge.md shows each", async () => {
  const files = (await readdir("bench")).filter((file) => /^surge-.*\.svg$/.test(file));
  expect(files.sort()).toEqual(names.map((name) => `surge-${name}.svg`).sort());
  const document = await readFile("docs/surge.md", "utf8");
  const shown = [...document.matchAll(/\]\(\.\.\/bench\/(surge-.*?\.svg)\)/g)];
  expect(shown.map(([, file]) => file).sort()).toEqual(files);
});
