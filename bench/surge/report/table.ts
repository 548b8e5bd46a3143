import type { Figures } from "../figures/figures.ts";
import { REFERENCE } from "../reference.ts";
import { type SetupName, SETUPS } from "../results.ts";
import { count, duration, ms, percent } from "./numbers.ts";
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
    of: ({ servedP50Ms }) => duration(servedP50Ms),
    reference: pair("servedP50Ms"),
  },
  {
    name: "served: p95",
    of: ({ servedP95Ms }) => duration(servedP95Ms),
    reference: pair("servedP95Ms"),
  },
  {
    name: "served: p99",
    of: ({ servedP99Ms }) => duration(servedP99Ms),
    reference: pair("servedP99Ms"),
  },
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
  { name: "a rider waited: median", of: ({ waitedP50Ms }) => duration(waitedP50Ms) },
  { name: "a rider waited: p95", of: ({ waitedP95Ms }) => duration(waitedP95Ms) },
  { name: "admitted beyond a policy", of: ({ overAdmitted }) => count(overAdmitted) },
  { name: "calls of Redis", of: ({ redisCalls }) => count(redisCalls) },
];

function meanOf(denials: number, meanMs: number): string {
  return denials === 0 ? "" : `${ms(meanMs)} (${count(denials)})`;
}

function pair(figure: "servedP50Ms" | "servedP95Ms" | "servedP99Ms"): readonly [string, string] {
  return [duration(without[figure]), duration(limited[figure])];
}

/** A heading, and a row for each figure: of each set-up, and as the incident was reported. */
export function tableOf(
  results: Readonly<Partial<Record<SetupName, Figures>>>,
): readonly (readonly string[])[] {
  const measured = SETUPS.filter((setup) => setup in results);
  return [
    ["", ...measured.map((name) => TITLES[name]), "reported: without", "reported: with"],
    ...ROWS.map(({ name, of, reference = ["", ""] }) =>
      [name].concat(
        measured.map((setup) => of(results[setup]!)),
        reference,
      ),
    ),
  ];
}
