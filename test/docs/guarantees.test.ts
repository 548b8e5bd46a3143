import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

const documents = ["docs/guarantees.md", "docs/security.md", "docs/architecture.md"];
const named = documents.flatMap((document) => {
  const text = readFileSync(document, "utf8");
  const paths = text.match(/\b(?:test|src|lua|scripts)\/[\w/.-]*\w/g) ?? [];
  return [...new Set(paths)].map((path) => ({ document, path }));
});

test.for([
  ["docs/guarantees.md", 60],
  ["docs/security.md", 8],
] as const)("%s names its tests", ([document, count]) => {
  const tests = named.filter(
    ({ document: of, path }) => of === document && path.startsWith("test/"),
  );
  expect(tests.length).toBeGreaterThanOrEqual(count);
});

test.for(named)("$path, named in $document, exists", ({ path }) => {
  expect(existsSync(path)).toBe(true);
});
