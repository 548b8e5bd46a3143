import { expect, test } from "vitest";

import { mutantsOf } from "./generated.ts";
import type { Result } from "./mutant.ts";
import { jsonOf, lineOf, noticed, summaryOf } from "./report.ts";
import { tryAll } from "./try-all.ts";

const FILE = "src/policy/example.ts";
const MUTANTS = mutantsOf(FILE, "if (a) b();\nx = c < d;\n");

/** Notices conditions, never ends with bounds, and lets the others live. */
const sandbox = {
  expectSound: () => Promise.resolve(),
  async try({ operator }: { operator: string }) {
    if (operator === "condition") return { outcome: "noticed", by: "a test" } as const;
    return { outcome: operator === "bound" ? "timeout" : "survived" } as const;
  },
};

async function resultsOf(sandboxes: number): Promise<readonly Result[]> {
  const results: Result[] = [];
  const all = Array.from({ length: sandboxes }, () => sandbox);
  await tryAll(MUTANTS, all, (result) => results.push({ ...result, seconds: 1.5 }));
  return results;
}

test("each mutant is tried once, for any number of sandboxes", async () => {
  const names = MUTANTS.map(({ name }) => name).sort();
  for (const count of [1, 2, 9]) {
    const results = await resultsOf(count);
    expect(results.map(({ mutant }) => mutant.name).sort()).toEqual(names);
  }
});

test("a report names the survivors, and counts those whose tests never end as noticed", async () => {
  const results = await resultsOf(1);
  expect(noticed(results)).toBe(2);
  expect(results.map(lineOf)).toEqual([
    `${FILE}:1:5 condition: a -> !(a) | noticed by a test | 1.5 s`,
    `${FILE}:1:8 dropped call: b(); -> ; | SURVIVED | 1.5 s`,
    `${FILE}:2:7 bound: < -> <= | TIMEOUT | 1.5 s`,
  ]);
  expect(summaryOf(results)).toBe(
    [
      "bound: 1 of 1 noticed",
      "condition: 1 of 1 noticed",
      "dropped call: 0 of 1 noticed",
      "all: 2 of 3 noticed",
      "",
      "Survived:",
      `- ${FILE}:1:8 dropped call: b(); -> ;`,
    ].join("\n"),
  );
});

test("a program reads the file, the line, the operator, both texts and the outcome", async () => {
  const rows = JSON.parse(jsonOf(await resultsOf(1))) as unknown[];
  expect(rows[0]).toEqual({
    name: `${FILE}:1:5 condition: a -> !(a)`,
    file: FILE,
    line: 1,
    operator: "condition",
    was: "a",
    text: "!(a)",
    outcome: "noticed",
    by: "a test",
    seconds: 1.5,
  });
});
