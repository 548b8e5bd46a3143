import { defineAlgorithm, IMPLEMENTATION, type PolicyOf } from "./algorithm.ts";
import { type AlgorithmModel, takes, waitingCost } from "./model.ts";
import { RUN, type SlidingWindowLogState } from "./runs.ts";
import { SLIDING_WINDOW_LOG as script } from "./scripts.generated.ts";
import {
  scaleWindow,
  WINDOW,
  windowNameParts,
  type WindowOptions,
  windowQuota,
  type WindowValues,
} from "./window.ts";

export type SlidingWindowLogPolicy = PolicyOf<"sliding-window-log", WindowOptions>;

/**
 * Keeps the time of every unit for one window: never more than `limit` in any trailing window, and each unit comes back
 * exactly one window after it was taken. With `limit: 5, window: "10s"`, after five logins at 0 s the sixth passes at
 * 10 s. 7 bytes per unit in Redis.
 *
 * @example
 * slidingWindowLog({ limit: 5, window: "10s" })
 */
export function slidingWindowLog(options: WindowOptions): SlidingWindowLogPolicy {
  return { ...options, algorithm: "sliding-window-log", [IMPLEMENTATION]: SLIDING_WINDOW_LOG };
}

export interface SlidingWindowLogParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** The script takes two parameters of every algorithm; a log needs one. */
  readonly unused: number;
}

const model: AlgorithmModel<SlidingWindowLogParameters, SlidingWindowLogState> = (
  state,
  request,
) => {
  const { nowUs, operation, cost, limit, parameters, maxMoments = Infinity } = request;
  const { windowUs } = parameters;
  let { runs, pushedOut } = state ?? { runs: [], pushedOut: false };
  let kept = state;
  if ((runs.at(-RUN) ?? 0) > nowUs) {
    // The clock stepped back: units from the future were taken now at the latest, and stay for a window from now.
    runs = runs.map((number, i) => (i % RUN === 1 ? number : Math.min(number, nowUs)));
    kept = { runs, pushedOut };
  }
  const first = firstAfter(runs, nowUs - windowUs);
  if (first > 0) runs = runs.slice(first);
  let used = unitsOf(runs);

  const allowed = used + cost <= limit;
  if (takes(operation, allowed)) {
    // Only the newest units up to the limit matter: a charge beyond it pushes out the oldest. Units taken under a higher
    // limit, which may come back, keep their number.
    const units = Math.min(cost, limit);
    const most = Math.max(limit, used);
    const more = withUnits(dropOldest(runs, used + units - most), nowUs, units);
    if (more.length > RUN * maxMoments) mergeClosest(more);
    // What was pushed out was older than a unit that has left.
    pushedOut = !allowed || (pushedOut && first === 0);
    runs = more;
    kept = { runs, pushedOut };
    used = Math.min(used + units, most);
  }

  const missing = used + waitingCost(request) - limit;
  return {
    allowed,
    remaining: Math.max(0, limit - used),
    retryAfterUs: missing > 0 ? timeOf(runs, missing) + windowUs - nowUs : 0,
    resetAfterUs: used > 0 ? runs.at(-RUN)! + windowUs - nowUs : 0,
    state: kept,
  };
};

/** Where the first run begins that counts from later than `time`, by binary search. */
function firstAfter(runs: readonly number[], time: number): number {
  let low = 0;
  let high = runs.length / RUN;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[RUN * middle]! > time) high = middle;
    else low = middle + 1;
  }
  return RUN * low;
}

function unitsOf(runs: readonly number[]): number {
  let units = 0;
  for (let i = 1; i < runs.length; i += RUN) units += runs[i]!;
  return units;
}

/** The time of the unit with this number, counted from 1, oldest first. */
function timeOf(runs: readonly number[], unit: number): number {
  let i = 0;
  for (let left = unit - runs[1]!; left > 0; left -= runs[i + 1]!) i += RUN;
  return runs[i]!;
}

function dropOldest(runs: readonly number[], units: number): readonly number[] {
  if (units <= 0) return runs;
  let left = units;
  let i = 0;
  for (; i < runs.length && runs[i + 1]! <= left; i += RUN) left -= runs[i + 1]!;
  const rest = runs.slice(i);
  if (left > 0 && rest.length > 0) rest[1]! -= left;
  return rest;
}

/** A copy with these units added at its end. */
function withUnits(runs: readonly number[], at: number, units: number): number[] {
  // concat, because spreading a long array takes several times as long.
  if (runs.at(-RUN) !== at) return runs.concat([at, units, at]);
  const copy = runs.slice();
  copy[copy.length - RUN + 1]! += units;
  return copy;
}

/**
 * Merges two neighbouring runs into one with the later time. Every unit of a run came after the run before it, so the
 * pair whose later run is closest to the run before the pair moves units least: if 128 runs are kept, even repeated
 * merges make no unit later by more than 1/63 of the window. The oldest run has none before it and stays.
 */
function mergeClosest(runs: number[]): void {
  let closest = RUN;
  let least = Infinity;
  for (let i = RUN; i + RUN < runs.length; i += RUN) {
    const distance = runs[i + RUN]! - runs[i - RUN]!;
    if (distance >= least) continue;
    least = distance;
    closest = i;
  }
  const [, units, firstUs] = runs.splice(closest, RUN);
  runs[closest + 1]! += units!;
  runs[closest + 2] = firstUs!;
}

export const SLIDING_WINDOW_LOG = defineAlgorithm<
  WindowValues,
  SlidingWindowLogParameters,
  SlidingWindowLogState
>({
  name: "sliding-window-log",
  code: "l",
  layout: 1,
  // A log stores every unit: 100,000 take 700 KB in one key, and its header counts to 2^17.
  maxLimit: 100_000,
  limitHint: ", or a segmented-window for more",
  options: { window: WINDOW },
  nameParts: windowNameParts,

  ...windowQuota((_limit, windowUs) => ({ windowUs, unused: 0 })),
  parameters: ["windowUs", "unused"],
  ttl: ({ windowUs }) => Math.ceil((2 * windowUs) / 1000) + 1,
  scale: scaleWindow,
  script,
  model,
});
