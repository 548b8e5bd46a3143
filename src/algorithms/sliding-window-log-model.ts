import { type AlgorithmModel, takes, waitingCost } from "./model.ts";

/** Units taken at the same moment: that moment in microseconds, and how many they are; then the next, oldest first. */
export type SlidingWindowLogState = readonly number[];

/** Every unit of the trailing `a` microseconds, each with its time. */
export const slidingWindowLog: AlgorithmModel<SlidingWindowLogState> = (state, request) => {
  const { now, operation, cost, limit, a: window, maxMoments = Infinity } = request;
  let runs = state ?? [];
  let kept = state;
  if ((runs.at(-2) ?? 0) > now) {
    // The clock went back: units of a time to come were taken now at the latest, and stay for a window from now.
    runs = runs.map((number, i) => (i % 2 === 0 ? Math.min(number, now) : number));
    kept = runs;
  }
  const first = firstAfter(runs, now - window);
  if (first > 0) runs = runs.slice(first);
  let used = unitsOf(runs);

  const allowed = used + cost <= limit;
  if (takes(operation, allowed)) {
    // Only the newest units up to the limit can matter: a charge limitHint it pushes the oldest out.
    const units = Math.min(cost, limit);
    const more = withUnits(dropOldest(runs, used + units - limit), now, units);
    if (more.length > 2 * maxMoments) mergeClosest(more);
    runs = kept = more;
    used = Math.min(used + units, limit);
  }

  const missing = used + waitingCost(request) - limit;
  return {
    allowed,
    remaining: Math.max(0, limit - used),
    retryAfterUs: missing > 0 ? timeOf(runs, missing) + window - now : 0,
    resetAfterUs: used > 0 ? runs.at(-2)! + window - now : 0,
    state: kept,
  };
};

/** Where the first run stands that is later than `time`. */
function firstAfter(runs: readonly number[], time: number): number {
  let low = 0;
  let high = runs.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[2 * middle]! > time) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}

function unitsOf(runs: readonly number[]): number {
  let units = 0;
  for (let i = 1; i < runs.length; i += 2) units += runs[i]!;
  return units;
}

/** The time of the unit with this number, counted from 1, oldest first. */
function timeOf(runs: readonly number[], unit: number): number {
  let i = 0;
  for (let left = unit - runs[1]!; left > 0; left -= runs[i + 1]!) i += 2;
  return runs[i]!;
}

function dropOldest(runs: readonly number[], units: number): readonly number[] {
  if (units <= 0) return runs;
  let left = units;
  let i = 0;
  for (; i < runs.length && runs[i + 1]! <= left; i += 2) left -= runs[i + 1]!;
  const rest = runs.slice(i);
  if (left > 0 && rest.length > 0) rest[1]! -= left;
  return rest;
}

/** A copy with these units, which are the newest. */
function withUnits(runs: readonly number[], at: number, units: number): number[] {
  // Not by spreading it, which takes several times as long.
  if (runs.at(-2) !== at) return runs.concat([at, units]);
  const copy = runs.slice();
  copy[copy.length - 1]! += units;
  return copy;
}

/**
 * Counts neighbours as one, as the later of them: the two of which no unit becomes later by much. Its units came after
 * the run before it, so that by choosing the least distance to that, none becomes later by more than a 63rd of the
 * window where 128 runs may be. The oldest run, which has none before it, stays as it is.
 */
function mergeClosest(runs: number[]): void {
  let closest = 2;
  let least = Infinity;
  for (let i = 2; i + 2 < runs.length; i += 2) {
    const distance = runs[i + 2]! - runs[i - 2]!;
    if (distance >= least) continue;
    least = distance;
    closest = i;
  }
  runs[closest + 3]! += runs[closest + 1]!;
  runs.splice(closest, 2);
}
