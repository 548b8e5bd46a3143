import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

const text = readFileSync("docs/guarantees.md", "utf8");
const named = [...new Set(text.match(/test\/[\w/.-]*\w/g))];

test("the guarantees name their tests", () => {
  expect(named.length).toBeGreaterThan(20);
});

test.for(named)("%s exists", (path) => {
  expect(existsSync(path)).toBe(true);
});
