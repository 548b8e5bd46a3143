import type { CompiledPolicy } from "../policy/compile.ts";
import {
  type Estimate,
  estimateOf,
  FEWEST_PARTITIONS,
  type ShareInterval,
  shareOf,
} from "./estimate.ts";
import { replayUnder } from "./replay.ts";
import type { Sample } from "./trace-reader.ts";

/** The counted behaviour of all partitions of a policy. */
export interface Counted {
  readonly requests: number;
  readonly denied: number;
}

/** The effect that other numbers of a policy would have had. */
export interface WhatIf {
  /** One of so many partitions is in the sample. */
  readonly oneIn: number;
  /** In the sample. */
  readonly partitions: number;
  /** In the sample, under other numbers than the policy has now, such as those of a plan: the edit does not change them. */
  readonly otherNumbers: number;
  /** Whether the sample has too few partitions for an answer. */
  readonly tooFew: boolean;
  /** The share of the requests in the sample for which the model repeats the decision; `null` without any. */
  readonly agreement: number | null;
  /** Counted, not estimated. */
  readonly requests: number;
  readonly deniedBefore: number;
  readonly deniedAfter: Estimate;
  readonly partitionsAffected: Estimate;
  /** Of all partitions, where the sample has too few for an estimate; else, and without any, `null`. */
  readonly affectedShare: ShareInterval | null;
  /** Those of the sample for which most would change, most first. */
  readonly affected: readonly AffectedPartition[];
}

/** A partition of the sample with the requests that were denied, and that would have been, as the model replays it. */
export interface AffectedPartition {
  /** Its name in the sample. */
  readonly number: string;
  readonly requests: number;
  readonly deniedBefore: number;
  readonly deniedAfter: number;
}

/** The most that a person reads. */
const MOST_AFFECTED = 20;

/** A partition of the sample, replayed. */
interface Replayed {
  readonly number: string;
  readonly requests: number;
  readonly agreeing: number;
  readonly denied: number;
  /** How many more would have been denied. */
  readonly more: number;
  readonly isAffected: boolean;
}

/** Replays the requests of a sample under a policy as it is, and as it might be. */
export function whatIf(
  { oneIn, partitions }: Sample,
  counted: Counted,
  before: CompiledPolicy,
  after: CompiledPolicy,
): WhatIf {
  const { limit } = before;
  const seen = partitions.filter(({ isInSpan }) => isInSpan.includes(true));
  const own = seen.filter(({ limits }) => limits.size === 1 && limits.has(limit));
  const [asIs, asEdited] = [replayUnder(before), replayUnder(after)];
  const replayed = own.map(({ number, requests, isInSpan }): Replayed => {
    const was = asIs(requests);
    const would = asEdited(requests);
    const tally = { number, requests: 0, agreeing: 0, denied: 0, more: 0, isAffected: false };
    isInSpan.forEach((isIn, i) => {
      if (!isIn) return;
      tally.requests++;
      if (was[i] === requests[i]!.hasRoom) tally.agreeing++;
      if (!was[i]) tally.denied++;
      if (was[i] === would[i]) return;
      tally.isAffected = true;
      tally.more += was[i] ? 1 : -1;
    });
    return tally;
  });
  const sum = (key: "requests" | "agreeing") =>
    replayed.reduce((total, each) => total + each[key], 0);
  const affected = replayed.filter(({ isAffected }) => isAffected);
  const tooFew = own.length < FEWEST_PARTITIONS;
  return {
    oneIn,
    partitions: own.length,
    otherNumbers: seen.length - own.length,
    tooFew,
    agreement: sum("requests") === 0 ? null : sum("agreeing") / sum("requests"),
    requests: counted.requests,
    deniedBefore: counted.denied,
    deniedAfter: shifted(
      estimateOf(
        replayed.map(({ more }) => more),
        oneIn,
      ),
      counted,
    ),
    partitionsAffected: estimateOf(
      replayed.map(({ isAffected }) => (isAffected ? 1 : 0)),
      oneIn,
    ),
    affectedShare: tooFew ? shareOf(affected.length, own.length) : null,
    affected: affected
      .sort((one, other) => Math.abs(other.more) - Math.abs(one.more))
      .slice(0, MOST_AFFECTED)
      .map(({ number, requests, denied, more }) => ({
        number,
        requests,
        deniedBefore: denied,
        deniedAfter: denied + more,
      })),
  };
}

/**
 * Denied requests are counted, so that only the change is estimated (a difference estimator): heavy clients, of which a
 * sample has few, are denied either way. `sampled` stays the change in the sample.
 */
function shifted(change: Estimate, { denied, requests }: Counted): Estimate {
  const { sampled, estimate, low, high } = change;
  const within = (value: number | null) =>
    value === null ? null : Math.min(requests, Math.max(0, denied + value));
  return { sampled, estimate: within(estimate), low: within(low), high: within(high) };
}
