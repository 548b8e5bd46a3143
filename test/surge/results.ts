import type { Figures, Second } from "../../bench/surge/figures/figures.ts";
import { lengthOf, PHASES } from "../../bench/surge/people/phases.ts";
import { type SetupName, SETUPS, type SurgeResults } from "../../bench/surge/results.ts";
import { madeUpScenes } from "./scenes.ts";

const LENGTH = lengthOf(PHASES) / 1000;
const CAPACITY = 75;
const OVER_LIMIT = new Set<SetupName>(["ceiling", "with"]);

/** Results as a run may have them, with numbers that are all made up. */
export function madeUpResults(changes: Partial<SurgeResults> = {}): SurgeResults {
  const seconds = Object.fromEntries(
    SETUPS.map((name) => [name, secondsOf(OVER_LIMIT.has(name))]),
  ) as Record<SetupName, Second[]>;
  const figures = Object.fromEntries(
    SETUPS.map((name, i) => [name, figuresOf(seconds[name], i)]),
  ) as Record<SetupName, Figures>;
  return {
    date: "2026-11-22T18:00:35.021Z",
    machine: { processor: "AMD EPYC", cores: 2, node: "v24.21.0", loadAverage: 0.97 },
    seed: 7,
    share: 0.5,
    riders: 1_000,
    capacity: CAPACITY,
    phases: PHASES,
    ...figures,
    seconds,
    scenes: madeUpScenes(),
    ...changes,
  };
}

function secondsOf(limited: boolean): Second[] {
  let waiting = 0;
  return Array.from({ length: LENGTH }, (_, second) => {
    const afterQuietMs = second * 1000 - PHASES.quietMs;
    const surge = afterQuietMs >= 0 && afterQuietMs < PHASES.surgeMs;
    const sent = (surge ? 180 : 20) + ((second * 7) % 13);
    const passed = limited ? Math.min(sent, CAPACITY) : sent;
    const late = waiting > 30 * CAPACITY ? Math.floor(passed / 2) : 0;
    waiting = Math.max(0, waiting + passed - CAPACITY);
    const servedMs = 100 + (waiting / CAPACITY) * 1000;
    return {
      second,
      sent,
      allowed: passed - late,
      denied: sent - passed,
      failed: late,
      servedP50Ms: second === 3 ? null : servedMs,
      servedP99Ms: second === 3 ? null : 1.5 * servedMs,
      waiting,
    };
  });
}

function figuresOf(seconds: readonly Second[], i: number): Figures {
  const sum = (name: "sent" | "allowed" | "denied" | "failed") =>
    seconds.reduce((total, second) => total + second[name], 0);
  const longestQueue = Math.max(...seconds.map(({ waiting }) => waiting));
  return {
    requests: sum("sent"),
    allowed: sum("allowed"),
    denied: sum("denied"),
    failed: sum("failed"),
    servedMeanMs: 100 + longestQueue,
    servedP50Ms: 101 + longestQueue * 3 + i,
    servedP95Ms: 202 + longestQueue * 5 + i,
    servedP99Ms: 303 + longestQueue * 6 + i,
    servedMaxMs: 404 + longestQueue * 7 + i,
    deniedByRedis: i,
    deniedByIsolate: sum("denied") - i,
    deniedByRedisMeanMs: 2 + i,
    deniedByIsolateMeanMs: 0.25 + i,
    driverMs: 1,
    matchingCalls: sum("allowed") + sum("failed"),
    matchingUseful: sum("allowed"),
    matchingUsefulShare: 0.9,
    longestQueue,
    riders: 1_000,
    ridersServed: 900 - 31 * i,
    waitedP50Ms: 6_000 + i,
    waitedP95Ms: 21_000 + i,
    overAdmitted: 0,
    redisCalls: 1_000 * i,
  };
}
