import { styled } from "../../packages/cli/src/output/style.ts";
import { wrapWords } from "../../scripts/support/wrap-words.ts";
import { count, duration, ms, percent } from "../support/numbers.ts";
import { type SetupName, SETUPS } from "./incident.ts";
import type { Figures } from "./measure.ts";
import type { PartOfResults } from "./results.ts";

/** A heading, and below it rows that begin with their names. */
export type Table = readonly (readonly string[])[];

const TITLES: Record<SetupName, string> = {
  without: "no limiter",
  bucket: "bucket per rider",
  ceiling: "+ ceiling",
  with: "+ jitter",
};

interface Row {
  readonly name: string;
  readonly show: (figures: Figures) => string;
  /**
   * The incident that this reproduces, as it was reported without a limiter and with a bucket: 2,000 riders, 3 minutes, and a
   * token bucket of 20 per rider and endpoint that refills 10 a second.
   */
  readonly reported?: readonly [without: string, limited: string];
}

const ROWS: readonly Row[] = [
  { name: "requests", show: (f) => count(f.requests), reported: ["68,160", "68,160"] },
  { name: "allowed", show: (f) => count(f.allowed) },
  { name: "denied (429)", show: (f) => count(f.denied), reported: ["0", "49,500"] },
  { name: "failed", show: (f) => percent(f.failed / f.requests), reported: ["20.1 %", "0.1 %"] },
  { name: "served: median", show: (f) => duration(f.servedP50Ms), reported: ["1.7 s", "36 ms"] },
  { name: "served: p95", show: (f) => duration(f.servedP95Ms), reported: ["13 s", "280 ms"] },
  { name: "served: p99", show: (f) => duration(f.servedP99Ms), reported: ["40 s", "590 ms"] },
  {
    name: "429 with a call of Redis: mean (how many)",
    show: (f) => meanOf(f.deniedByRedis, f.deniedByRedisMeanMs),
    reported: ["", "2 ms"],
  },
  {
    name: "429 from the isolate: mean (how many)",
    show: (f) => meanOf(f.deniedByIsolate, f.deniedByIsolateMeanMs),
  },
  { name: "calls of the matching service", show: (f) => count(f.matchingCalls) },
  { name: "its capacity that did useful work", show: (f) => percent(f.matchingUsefulShare) },
  { name: "its longest queue", show: (f) => count(f.longestQueue) },
  { name: "riders served", show: (f) => `${count(f.ridersServed)} of ${count(f.riders)}` },
  { name: "a rider waited: median", show: (f) => duration(f.waitedP50Ms) },
  { name: "a rider waited: p95", show: (f) => duration(f.waitedP95Ms) },
  { name: "admitted beyond a policy", show: (f) => count(f.overAdmitted) },
  { name: "calls of Redis", show: (f) => count(f.redisCalls) },
];

function meanOf(denials: number, meanMs: number): string {
  return denials === 0 ? "" : `${ms(meanMs)} (${count(denials)})`;
}

/** The figures of each set-up that was measured, and as the incident was reported. */
export function setupTable(results: Readonly<Partial<Record<SetupName, Figures>>>): Table {
  const measured = SETUPS.filter((name) => name in results);
  return [
    ["", ...measured.map((name) => TITLES[name]), "reported: without", "reported: with"],
    ...ROWS.map(({ name, show, reported = ["", ""] }) =>
      [name].concat(
        measured.map((setup) => show(results[setup]!)),
        reported,
      ),
    ),
  ];
}

/** The figures of the scenes that were played, with Tidegate and with its alternative. */
export function sceneTable({ deployAmnesia, boundaryBurst }: PartOfResults["scenes"]): Table {
  const rows = [["scene", "with Tidegate", "beside it"]];
  if (deployAmnesia) {
    const { deploys, limit, redis, perIsolate } = deployAmnesia;
    rows.push([
      `${count(deploys)} deploys: admitted in the worst window, with a limit of ${count(limit)}`,
      count(redis.admittedInWorstWindow),
      `${count(perIsolate.admittedInWorstWindow)}, counted per isolate`,
    ]);
  }
  if (boundaryBurst) {
    const { limit, algorithms } = boundaryBurst;
    const worstOf = (name: string) => {
      const { admittedInWorstWindow } = algorithms.find(({ algorithm }) => algorithm === name)!;
      return `${count(admittedInWorstWindow)}, \`${name}\``;
    };
    rows.push([
      `a burst at a boundary: admitted in the worst window, with a limit of ${count(limit)}`,
      worstOf("segmented-window"),
      worstOf("fixed-window"),
    ]);
  }
  return rows;
}

/** The tables of what ran, in lines that fit a terminal of this many columns. */
export function surgeText(results: PartOfResults, columns: number): string {
  const tables = [setupTable(results), sceneTable(results.scenes)];
  const ran = tables.slice(SETUPS.some((name) => name in results) ? 0 : 1);
  return ran.map((rows) => inLines(rows, columns)).join("\n");
}

/** Each row's name, and below it what each column has. */
export function inLines([headings, ...rows]: Table, columns: number): string {
  const within = (text: string, indent = "") => wrapWords(text, columns - 1, indent);
  const lines = rows.flatMap(([name, ...cells]) => {
    const texts = cells.flatMap((cell, i) => (cell ? [`${headings![i + 1]}: ${cell}`] : []));
    return [styled("bold", within(name!)), within(texts.join("; "), "  ")];
  });
  return `\n${lines.join("\n")}`;
}
