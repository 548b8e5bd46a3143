import { afterEach, expect, test, vi } from "vitest";

import { readResults } from "../../bench/benchmark/results.ts";
import { table } from "../../bench/benchmark/table.ts";
import { readResults as readSurge } from "../../bench/surge/results.ts";
import { inLines, sceneTable, setupTable } from "../../bench/surge/table.ts";

afterEach(() => void vi.unstubAllEnvs());

const { parts } = await readResults("bench/results.json");
const surge = await readSurge("bench/surge.json");
const surgeTables = [setupTable(surge), sceneTable(surge.scenes)];

test.each([80, 100, 160])("no text is cut, and none is wrapped, at %i columns", (columns) => {
  const texts = [
    ...Object.entries(parts).map(([name, { figures }]) => table(name, figures, columns)),
    ...surgeTables.map((rows) => inLines(rows, columns)),
  ];
  for (const line of texts.join("\n").split("\n")) expect(line.length, line).toBeLessThan(columns);
  for (const [name, { figures }] of Object.entries(parts)) {
    const text = table(name, figures, columns).replaceAll(/\s+/g, " ");
    for (const figure of figures) expect(text).toContain(figure.name);
  }
});

test("a row of the surge has what each set-up has, where it has something", () => {
  const rows = [
    ["", "first", "second"],
    ["a name", "1", "2"],
    ["another", "", "3"],
  ];
  expect(inLines(rows, 30)).toBe("\na name\n  first: 1; second: 2\nanother\n  second: 3");
  expect(inLines(rows, 16)).toBe("\na name\n  first: 1;\n  second: 2\nanother\n  second: 3");
});

test("a figure has its verdict, its numbers in units that people read, and its target", () => {
  const figure = {
    name: "denial: CPU",
    unit: "us",
    tidegate: 12_345,
    peer: { name: "a peer", value: 20_000 },
    ratio: { median: 0.617, min: 0.5, max: 0.7 },
    target: { of: "ratio", bound: "at most", value: 0.5 },
  } as const;
  expect(table("edge", [figure], 100)).toBe(
    "\nedge\n\nmissed  denial: CPU\n" +
      "        12,345 µs; a peer: 20,000 µs; ratio 0.617 (0.5 to 0.7); target: ratio at most 0.5",
  );
  const { target: _, ...without } = figure;
  expect(table("edge", [without], 100)).toContain("\n        denial: CPU\n");
  expect(table("edge", [{ ...figure, target: { ...figure.target, value: 1 } }], 100)).toContain(
    "\nmet     denial: CPU\n",
  );
});

test("colours are for terminals", () => {
  const [name, { figures }] = Object.entries(parts)[0]!;
  expect(table(name, figures, 80)).not.toContain("\u001B");
  vi.stubEnv("FORCE_COLOR", "1");
  vi.stubEnv("NO_COLOR", "");
  expect(table(name, figures, 80)).toContain("\u001B[32mmet");
});
