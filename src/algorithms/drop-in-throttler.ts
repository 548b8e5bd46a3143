import { defineForDropIns } from "./algorithm.ts";
import type { AlgorithmModel } from "./model.ts";

/** How a throttler is asked, in the script's order. */
export interface ThrottlerParameters extends Readonly<Record<string, number>> {
  /** How long a hit counts; 0 for not at all. */
  readonly ttlUs: number;
  /** How long a hit beyond the limit blocks; 0 to deny until there is room again. */
  readonly blockUs: number;
  /** How many hits have an end of their own. */
  readonly most: number;
  /** Beyond those, hits whose ends fall into one grain end together, with the last of them. */
  readonly grainUs: number;
}

/** The hits of a key. */
export interface ThrottlerState {
  /** The time of this state. */
  readonly seenUs: number;
  /** 0 without a block. */
  readonly blockedUntilUs: number;
  /** When the ttl ends that began with the first hit after the one before had ended. */
  readonly ttlEndsUs: number;
  /** Hits that count. */
  readonly hits: number;
  /** When some hits end, and how many; then the next ones, the earliest first. */
  readonly runs: readonly number[];
  /** How long the state is kept. */
  readonly keptUntilUs: number;
}

const NO_HITS: ThrottlerState = {
  seenUs: 0,
  blockedUntilUs: 0,
  ttlEndsUs: 0,
  hits: 0,
  runs: [],
  keptUntilUs: 0,
};

/** Counts a hit, whatever the operation. */
const countHit: AlgorithmModel<ThrottlerParameters, ThrottlerState> = (
  state,
  { nowUs, limit, parameters },
) => {
  const { ttlUs, blockUs, most, grainUs } = parameters;
  const found = state ?? NO_HITS;
  const backUs = Math.max(0, found.seenUs - nowUs);
  let { blockedUntilUs, ttlEndsUs, hits, runs } = movedBack(found, backUs);
  let changes = backUs > 0;

  let live = 0;
  for (; live < runs.length && runs[live]! <= nowUs; live += 2) hits -= runs[live + 1]!;
  runs = runs.slice(live);

  if (ttlEndsUs <= nowUs) {
    ttlEndsUs = nowUs + ttlUs;
    changes = true;
  }
  let isBlocked = blockUs > 0 && blockedUntilUs > nowUs;
  if (blockedUntilUs > 0 && blockedUntilUs <= nowUs) {
    [blockedUntilUs, hits, runs, changes] = [0, 0, [], true];
  }

  const counts = !isBlocked && (blockUs > 0 || hits < limit);
  if (counts) {
    hits++;
    changes = true;
    isBlocked = hits > limit;
    if (isBlocked) blockedUntilUs = nowUs + blockUs;
    const endsUs = nowUs + ttlUs;
    const over = runs.length < 2 * most ? 0 : endsUs % grainUs;
    if (ttlUs > 0) runs = withHit(runs, over > 0 ? endsUs + grainUs - over : endsUs);
  }
  const stored = ttlUs > 0 ? hits : hits - Number(counts);
  const keptUntilUs = Math.max(blockedUntilUs, ttlEndsUs, runs.at(-2) ?? 0);
  const kept = { seenUs: nowUs, blockedUntilUs, ttlEndsUs, hits: stored, runs, keptUntilUs };

  const isDenied = !counts || isBlocked;
  let waitUs = stored >= limit ? (runs[0] ?? ttlEndsUs) - nowUs : 0;
  if (blockUs > 0) waitUs = isBlocked ? blockedUntilUs - nowUs : 0;
  return {
    allowed: !isDenied,
    remaining: isDenied
      ? Math.min(limit - hits - Number(!counts && blockUs === 0), -1)
      : limit - hits,
    retryAfterUs: waitUs,
    resetAfterUs: ttlEndsUs - nowUs,
    state: changes ? (keptUntilUs > nowUs ? kept : NO_HITS) : state,
  };
};

/** The times of a state after the clock went back. */
function movedBack(state: ThrottlerState, backUs: number) {
  const { blockedUntilUs, ttlEndsUs, hits, runs } = state;
  return {
    blockedUntilUs: Math.max(0, blockedUntilUs - backUs),
    ttlEndsUs: ttlEndsUs - backUs,
    hits,
    runs: backUs > 0 ? runs.map((each, i) => (i % 2 === 0 ? each - backUs : each)) : runs,
  };
}

/** The runs with one more hit. A shorter ttl than before ends before hits that were counted earlier. */
function withHit(runs: readonly number[], endsUs: number): readonly number[] {
  let at = runs.length;
  while (at > 0 && runs[at - 2]! >= endsUs) at -= 2;
  return runs[at] === endsUs
    ? runs.with(at + 1, runs[at + 1]! + 1)
    : runs.toSpliced(at, 0, endsUs, 1);
}

export const THROTTLER = /* @__PURE__ */ defineForDropIns("throttler", countHit);
