import { styled } from "../../packages/cli/src/output/style.ts";
import { wrapWords } from "../../scripts/support/wrap-words.ts";
import { count, duration, ms, percent } from "../support/numbers.ts";
import type { Figures } from "./measure.ts";
import { type PartOfResults, type Scenes, type SetupName, SETUPS } from "./results.ts";

/** A heading, and below it rows that begin with their names. */
export type Table = readonly (readonly string[])[];

const TITLES: Record<SetupName, string> = {
  without: "no limiter",
  bucket: "bucket per rider",
  ceiling: "+ ceiling",
  with: "+ jitter",
};

/**
 * The incident that this reproduces, as it was reported without a limiter and with a bucket: 2,000 riders, 3 minutes, and a token
 * bucket of 20 per rider and endpoint that refills 10 a second.
 */
const REPORTED: Readonly<Record<string, readonly [without: string, limited: string]>> = {
  requests: ["68,160", "68,160"],
  "denied (429)": ["0", "49,500"],
  failed: ["20.1 %", "0.1 %"],
  "served: median": ["1.7 s", "36 ms"],
  "served: p95": ["13 s", "280 ms"],
  "served: p99": ["40 s", "590 ms"],
  "429 with a call of Redis: mean (how many)": ["", "2 ms"],
};

const ROWS: Readonly<Record<string, (figures: Figures) => string>> = {
  requests: ({ requests }) => count(requests),
  allowed: ({ allowed }) => count(allowed),
  "denied (429)": ({ denied }) => count(denied),
  failed: ({ failed, requests }) => percent(failed / requests),
  "served: median": ({ servedP50Ms }) => duration(servedP50Ms),
  "served: p95": ({ servedP95Ms }) => duration(servedP95Ms),
  "served: p99": ({ servedP99Ms }) => duration(servedP99Ms),
  "429 with a call of Redis: mean (how many)": ({ deniedByRedis, deniedByRedisMeanMs }) =>
    meanOf(deniedByRedis, deniedByRedisMeanMs),
  "429 from the isolate: mean (how many)": ({ deniedByIsolate, deniedByIsolateMeanMs }) =>
    meanOf(deniedByIsolate, deniedByIsolateMeanMs),
  "calls of the matching service": ({ matchingCalls }) => count(matchingCalls),
  "its capacity that did useful work": ({ matchingUsefulShare }) => percent(matchingUsefulShare),
  "its longest queue": ({ longestQueue }) => count(longestQueue),
  "riders served": ({ ridersServed, riders }) => `${count(ridersServed)} of ${count(riders)}`,
  "a rider waited: median": ({ waitedP50Ms }) => duration(waitedP50Ms),
  "a rider waited: p95": ({ waitedP95Ms }) => duration(waitedP95Ms),
  "admitted beyond a policy": ({ overAdmitted }) => count(overAdmitted),
  "calls of Redis": ({ redisCalls }) => count(redisCalls),
};

function meanOf(denials: number, meanMs: number): string {
  return denials === 0 ? "" : `${ms(meanMs)} (${count(denials)})`;
}

/** The figures of each set-up that was measured, and as the incident was reported. */
export function setupTable(results: Readonly<Partial<Record<SetupName, Figures>>>): Table {
  const measured = SETUPS.filter((name) => name in results);
  return [
    ["", ...measured.map((name) => TITLES[name]), "reported: without", "reported: with"],
    ...Object.entries(ROWS).map(([name, show]) =>
      [name].concat(
        measured.map((setup) => show(results[setup]!)),
        REPORTED[name] ?? ["", ""],
      ),
    ),
  ];
}

/** The figures of the scenes that were played, with Tidegate and with its alternative. */
export function sceneTable({ deployAmnesia, boundaryBurst }: PartOfResults["scenes"]): Table {
  return [
    ["scene", "with Tidegate", "beside it"],
    ...(deployAmnesia ? [deployRow(deployAmnesia)] : []),
    ...(boundaryBurst ? [burstRow(boundaryBurst)] : []),
  ];
}

function deployRow({ deploys, limit, redis, perIsolate }: Scenes["deployAmnesia"]): string[] {
  return [
    `${count(deploys)} deploys: admitted in the worst window, with a limit of ${count(limit)}`,
    count(redis.admittedInWorstWindow),
    `${count(perIsolate.admittedInWorstWindow)}, counted per isolate`,
  ];
}

function burstRow({ limit, algorithms }: Scenes["boundaryBurst"]): string[] {
  const worstOf = (name: string) => {
    const { admittedInWorstWindow } = algorithms.find(({ algorithm }) => algorithm === name)!;
    return `${count(admittedInWorstWindow)}, \`${name}\``;
  };
  return [
    `a burst at a boundary: admitted in the worst window, with a limit of ${count(limit)}`,
    worstOf("segmented-window"),
    worstOf("fixed-window"),
  ];
}

/** A table in lines that fit a terminal of this many columns: each row's name, and below it what each column has. */
export function inLines([headings, ...rows]: Table, columns: number): string {
  const within = (text: string, indent = "") => wrapWords(text, columns - 1, indent);
  const lines = rows.flatMap(([name, ...cells]) => {
    const texts = cells.flatMap((cell, i) => (cell ? [`${headings![i + 1]}: ${cell}`] : []));
    return [styled("bold", within(name!)), within(texts.join("; "), "  ")];
  });
  return `\n${lines.join("\n")}`;
}
