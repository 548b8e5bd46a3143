import { quantile, sum } from "d3-array";

import { judge, type Verdict } from "./judge.ts";
import type { Answered } from "./replay.ts";
import { NOBODY } from "./workload.ts";

/** The result of one way with the traffic, at one distance. */
export interface Outcome {
  /** Calls of Redis per decision. */
  readonly calls: number;
  /**
   * The delay of an allowed request over the median one of the bare app in the same run, in milliseconds. It includes the noise
   * of the machine.
   */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  /** That noise: the same of requests of the bare app. */
  readonly bareP99Ms: number;
  /** The units admitted above the limit, in percent of the admissible ones. */
  readonly excessPercent: number;
  /** By how many units one identity's bucket ran over at most. */
  readonly burst: number;
  /** Requests that were denied while their bucket had room. */
  readonly wronglyDenied: number;
  /** By identity. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export interface Measured {
  readonly answered: readonly Answered[];
  /** Calls of Redis. */
  readonly calls: number;
  readonly roundTripMs: number;
}

export function outcomeOf({ answered, calls, roundTripMs }: Measured): Outcome {
  const bare = answered.filter(({ identity }) => identity === NOBODY);
  const decided = answered.filter(({ identity }) => identity !== NOBODY);
  const allowed = decided.filter((each) => each.allowed);
  const usualMs = quantile(bare, 0.5, tookMs)!;
  const added = (share: number, of: readonly Answered[]) =>
    Math.max(0, quantile(of, share, tookMs)! - usualMs);
  const verdicts = judge(decided, roundTripMs);
  return {
    calls: calls / decided.length,
    addedP50Ms: added(0.5, allowed),
    addedP99Ms: added(0.99, allowed),
    bareP99Ms: added(0.99, bare),
    excessPercent: excessPercent(verdicts),
    burst: Math.max(...verdicts.map(({ burst }) => burst)),
    wronglyDenied: sum(verdicts, ({ wronglyDenied }) => wronglyDenied),
    verdicts: new Map(verdicts.map((verdict) => [verdict.identity, verdict])),
  };
}

export function excessPercent(verdicts: readonly Verdict[]): number {
  const excess = sum(verdicts, ({ admitted, admissible }) => Math.max(0, admitted - admissible));
  return (excess / sum(verdicts, ({ admissible }) => admissible)) * 100;
}

function tookMs({ askedAtMs, answeredAtMs }: Answered): number {
  return answeredAtMs - askedAtMs;
}
