import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import type { Policy } from "../../src/index.ts";
import { some } from "../support/runs.ts";
import { autoScene } from "./auto-scene.ts";

/*
 * The tables of docs/hot-keys.md that say what automatic leases cost. A cell that differs is shown as it has to be.
 */

const RATES = [0.1, 1, 10, 100, 1_000, 10_000];
const ROUND_TRIPS_MS = [1, 5, 30, 150];

const tables: [title: string, options: Pick<Policy, "lease" | "optimistic">][] = [
  ['`lease: "auto"`', { lease: "auto" }],
  ["with `optimistic: true`", { lease: "auto", optimistic: true }],
];

test.each(tables)("the table of %s is computed", { timeout: 300_000 }, async (title, options) => {
  const document = await readFile(new URL("../../docs/hot-keys.md", import.meta.url), "utf8");
  const lines = document.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  const rows = lines
    .slice(start + 2, start + 2 + RATES.length)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const rates = some(RATES);
  const expected: string[][] = [];
  for (const perSecond of rates) {
    const cells: string[] = [];
    for (const roundTripMs of ROUND_TRIPS_MS) {
      const { callsPerDecision, waiting } = await autoScene({ options, perSecond, roundTripMs });
      const share = (100 * waiting).toFixed(waiting > 0 && waiting < 0.1 ? 1 : 0);
      cells.push(`${callsPerDecision.toFixed(3).replace("1.000", "1")}; ${share} %`);
    }
    expected.push(["", `${perSecond.toLocaleString("en")} per second`, ...cells, ""]);
  }
  expect(rows.filter((_row, i) => rates.includes(RATES[i]!))).toEqual(expected);
  expect(rows).toHaveLength(RATES.length);
});
