import { quantile, sum } from "d3-array";

import { FACTS } from "../../../test/support/algorithms/all.ts";
import { LIMIT, RATE } from "./names.ts";
import { type Answered, NOBODY } from "./replay.ts";

/** The result of one way with the traffic, at one distance. */
export type Outcome = ReturnType<typeof outcomeOf>;

export function outcomeOf(answered: readonly Answered[], calls: number, roundTripMs: number) {
  const bare = answered.filter(({ identity }) => identity === NOBODY);
  const decided = answered.filter(({ identity }) => identity !== NOBODY);
  const allowed = decided.filter((each) => each.allowed);
  const usualMs = quantile(bare, 0.5, tookMs)!;
  const added = (share: number, of: readonly Answered[]) =>
    Math.max(0, quantile(of, share, tookMs)! - usualMs);
  const verdicts = judge(decided, roundTripMs);
  return {
    /** Calls of Redis per decision. */
    calls: calls / decided.length,
    /**
     * The delay of an allowed request over the median one of the bare app in the same run, in milliseconds. It includes the noise
     * of the machine.
     */
    addedP50Ms: added(0.5, allowed),
    addedP99Ms: added(0.99, allowed),
    /** That noise: the same of requests of the bare app. */
    bareP99Ms: added(0.99, bare),
    excessPercent: excessPercent(verdicts),
    /** By how many units one identity's bucket ran over at most. */
    burst: Math.max(...verdicts.map(({ burst }) => burst)),
    /** Requests that were denied while their bucket had room. */
    wronglyDenied: sum(verdicts, ({ wronglyDenied }) => wronglyDenied),
    verdicts: new Map(verdicts.map((verdict) => [verdict.identity, verdict])),
  };
}

/** The units admitted above the limit, in percent of the admissible ones. */
export function excessPercent(verdicts: readonly Verdict[]): number {
  const excess = sum(verdicts, ({ admitted, admissible }) => Math.max(0, admitted - admissible));
  return (excess / sum(verdicts, ({ admissible }) => admissible)) * 100;
}

function tookMs({ askedAtMs, answeredAtMs }: Answered): number {
  return answeredAtMs - askedAtMs;
}

/** The units that one identity was granted, beside those that its policy grants. */
export interface Verdict {
  readonly identity: string;
  readonly admitted: number;
  /** The number of the same requests that a model without delay admits. */
  readonly admissible: number;
  /** By how many units some span of time held more than a bucket explains. */
  readonly burst: number;
  /** Requests that were denied while the bucket had room. */
  readonly wronglyDenied: number;
}

/** A machine under full load delays some requests by so much. A bucket refills a unit in 100 ms. */
const NOISE_MS = 20;

export function judge(requests: readonly Answered[], roundTripMs: number): Verdict[] {
  const byIdentity = Object.groupBy(requests, ({ identity }) => identity);
  return Object.entries(byIdentity).map(([identity, own = []]) => {
    const asked = own.toSorted((a, b) => a.askedAtMs - b.askedAtMs);
    const levels = levelsOf(asked.filter(({ allowed }) => allowed));
    const denied = asked.filter(({ allowed }) => !allowed);
    const slackMs = roundTripMs + NOISE_MS;
    return {
      identity,
      admitted: asked.length - denied.length,
      admissible: admissible(asked),
      burst: Math.max(0, Math.floor(Math.max(0, ...levels.map(({ used }) => used)) - LIMIT)),
      wronglyDenied: denied.filter(
        ({ askedAtMs, answeredAtMs }) =>
          mostUsed(levels, askedAtMs - slackMs, answeredAtMs + slackMs) <= LIMIT - 1,
      ).length,
    };
  });
}

function admissible(asked: readonly Answered[]): number {
  const ledger = FACTS["token-bucket"].ledger({ limit: LIMIT, windowUs: (LIMIT / RATE) * 1e6 });
  return asked.filter(({ askedAtMs }) => ledger.ask(askedAtMs * 1000).allowed).length;
}

/** The used part of a bucket after an admission; a debt is more than the limit. */
interface Level {
  readonly atMs: number;
  readonly used: number;
}

function levelsOf(admitted: readonly Answered[]): Level[] {
  let last: Level = { atMs: 0, used: 0 };
  return admitted.map(({ askedAtMs: atMs }) => (last = { atMs, used: usedAt(last, atMs) + 1 }));
}

function usedAt({ atMs, used }: Level, laterMs: number): number {
  return Math.max(0, used - ((laterMs - atMs) / 1000) * RATE);
}

function mostUsed(levels: readonly Level[], fromMs: number, toMs: number): number {
  const before = levels.findLast(({ atMs }) => atMs <= fromMs);
  const within = levels.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
  return Math.max(before ? usedAt(before, fromMs) : 0, ...within.map(({ used }) => used));
}
