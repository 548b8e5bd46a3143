import type { Figures } from "../figures/figures.ts";
import { REFERENCE } from "../reference.ts";
import { SETUPS, type SurgeResults } from "../results.ts";
import { count, ms, percent } from "./numbers.ts";
import { TITLES } from "./titles.ts";

interface Row {
  readonly name: string;
  readonly of: (figures: Figures) => string;
  /** As it was reported, without a limiter and with the bucket. */
  readonly reference?: readonly [string, string];
}

const { without, with: limited } = REFERENCE;

const ROWS: readonly Row[] = [
  { name: "requests", of: ({ requests }) => count(requests), reference: ["68,160", "68,160"] },
  { name: "allowed", of: ({ allowed }) => count(allowed) },
  { name: "denied (429)", of: ({ denied }) => count(denied), reference: ["0", "49,500"] },
  {
    name: "failed",
    of: ({ failed, requests }) => percent(failed / requests),
    reference: [percent(without.failedShare), percent(limited.failedShare)],
  },
  {
    name: "served: median",
    of: ({ servedP50Ms }) => ms(servedP50Ms),
    reference: pair("servedP50Ms"),
  },
  { name: "served: p95", of: ({ servedP95Ms }) => ms(servedP95Ms), reference: pair("servedP95Ms") },
  { name: "served: p99", of: ({ servedP99Ms }) => ms(servedP99Ms), reference: pair("servedP99Ms") },
  {
    name: "429 with a call of Redis: mean (how many)",
    of: ({ deniedByRedis, deniedByRedisMeanMs }) => meanOf(deniedByRedis, deniedByRedisMeanMs),
    reference: ["", ms(limited.deniedMeanMs)],
  },
  {
    name: "429 from the isolate: mean (how many)",
    of: ({ deniedByIsolate, deniedByIsolateMeanMs }) =>
      meanOf(deniedByIsolate, deniedByIsolateMeanMs),
  },
  {
    name: "calls of the matching service",
    of: ({ matchingCalls }) => count(matchingCalls),
  },
  {
    name: "its capacity that did useful work",
    of: ({ matchingUsefulShare }) => percent(matchingUsefulShare),
  },
  { name: "its longest queue", of: ({ longestQueue }) => count(longestQueue) },
  {
    name: "riders served",
    of: ({ ridersServed, riders }) => `${count(ridersServed)} of ${count(riders)}`,
  },
  { name: "a rider waited: median", of: ({ waitedP50Ms }) => ms(waitedP50Ms) },
  { name: "a rider waited: p95", of: ({ waitedP95Ms }) => ms(waitedP95Ms) },
  { name: "admitted beyond a policy", of: ({ overAdmitted }) => count(overAdmitted) },
  { name: "calls of Redis", of: ({ redisCalls }) => count(redisCalls) },
];

function meanOf(denials: number, meanMs: number): string {
  return denials === 0 ? "" : `${ms(meanMs)} (${count(denials)})`;
}

function pair(figure: "servedP50Ms" | "servedP95Ms" | "servedP99Ms"): readonly [string, string] {
  return [ms(without[figure]), ms(limited[figure])];
}

/** A heading, and a row for each figure: of each set-up, and as the incident was reported. */
export function tableOf(results: SurgeResults): readonly (readonly string[])[] {
  return [
    ["", ...SETUPS.map((name) => TITLES[name]), "reported: without", "reported: with"],
    ...ROWS.map(({ name, of, reference = ["", ""] }) =>
      [name].concat(
        SETUPS.map((setup) => of(results[setup])),
        reference,
      ),
    ),
  ];
}

/** In columns, for a terminal. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((cells) => cells[i]!.length)));
  return rows
    .map((cells) =>
      cells
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
