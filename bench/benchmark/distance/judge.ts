import { FACTS } from "../../../test/support/algorithms/all.ts";
import { LIMIT, RATE } from "./names.ts";
import type { Answered } from "./replay.ts";

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
