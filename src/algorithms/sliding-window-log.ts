import {
  defineAlgorithm,
  type ImplementationOf,
  madeOf,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import type { Denials, Failures, Labels, MarksOf, Refundable } from "./common-options.ts";
import {
  type AlgorithmModel,
  type ModelRequest,
  type RefundModel,
  takes,
  waitingCost,
} from "./model.ts";
import { DECIDE_LOGS, SLIDING_WINDOW_LOG as script } from "./scripts.generated.ts";
import {
  lengthText,
  maxWindowLeaseUs,
  partOfWindow,
  WINDOW,
  type WindowData,
  windowNameParts,
  type WindowOptions,
  type WindowValues,
} from "./window.ts";

interface SlidingWindowLogParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** The script takes two parameters of every algorithm; a log needs one. */
  readonly unused: number;
}

export interface SlidingWindowLogState {
  /**
   * Runs of units, oldest first, each as RUN numbers in one flat list: the moment from which they count, in microseconds, how
   * many they are, and the moment at which the first of them was taken. The two moments are the same unless runs were merged:
   * then a refund finds the run that has the units of a moment. The script has an entry for each.
   */
  readonly runs: readonly number[];
}

/** How many numbers a run takes in the list. */
const RUN = 3;

export type SlidingWindowLogPolicy = PolicyOf<"sliding-window-log", WindowData>;

/**
 * Keeps the time of every request for one window: never more than `limit` in any trailing window, and each unit comes back
 * exactly one window after it was taken. With `limit: 5, window: "10s"`, after five logins at 0 s the sixth passes at
 * 10 s. 10 to 20 bytes per request in Redis, whatever its cost.
 *
 * @example
 * slidingWindowLog({ limit: 5, window: "10s" })
 */
export function slidingWindowLog<
  F extends Denials | Failures = never,
  R extends Refundable = never,
  Name extends string = string,
  By extends string = never,
  Has extends string = never,
>(
  options: WindowOptions<F, R> & Labels<Name, By, Has>,
): SlidingWindowLogPolicy & MarksOf<F | R, Name, By, Has> {
  return madeOf(options, SLIDING_WINDOW_LOG);
}

/** The script counts units to three bytes. */
const MOST_UNITS = 2 ** 24 - 1;

export const countSlidingWindowLog: AlgorithmModel<
  SlidingWindowLogParameters,
  SlidingWindowLogState
> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { windowUs } = parameters;
  const stored = state?.runs ?? [];
  // Once the clock has stepped back, units from the future were taken now at the latest: they become one run of now.
  const isAhead = (stored.at(-RUN) ?? 0) > nowUs;
  const future = firstAfter(stored, nowUs - 1);
  const runs = isAhead
    ? [...stored.slice(0, future), nowUs, unitsOf(stored.slice(future)), nowUs]
    : stored;
  let live = runs.slice(firstAfter(runs, nowUs - windowUs));
  const used = unitsOf(live);
  const allowed = used + cost <= limit;
  const isTaken = takes(operation, allowed);
  if (isTaken) live = withUnits(live, Math.min(cost, MOST_UNITS - used), request);

  const units = unitsOf(live);
  const missing = units + waitingCost(request) - limit;
  return {
    allowed,
    remaining: Math.max(0, limit - units),
    retryAfterUs: missing > 0 ? timeOf(live, missing) + windowUs - nowUs : 0,
    resetAfterUs: units > 0 ? live.at(-RUN)! + windowUs - nowUs : 0,
    state: isTaken || isAhead ? { runs: live } : state,
  };
};

/** A copy with these units added at its end. After 1,000 runs of debt, they join the newest one, which counts from now: so a log has a size. */
function withUnits(
  runs: readonly number[],
  units: number,
  { nowUs, limit, maxMoments = Infinity }: ModelRequest<SlidingWindowLogParameters>,
): number[] {
  const joins = runs.length > (limit + 1000) * RUN || runs.at(-RUN) === nowUs;
  // concat, because spreading a long array takes several times as long.
  if (!joins) {
    const more = runs.concat([nowUs, units, nowUs]);
    if (more.length > RUN * maxMoments) mergeClosest(more);
    return more;
  }
  const [atUs, newest, firstUs] = runs.slice(-RUN) as [number, number, number];
  // A merged run knows where it began; one that moves gives nothing back.
  const from = atUs === nowUs ? firstUs : nowUs;
  return runs.slice(0, -RUN).concat([nowUs, newest + units, from]);
}

/** The index of the first run that counts from later than `time`, by binary search. */
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

/** How many units the runs have. */
function unitsOf(runs: readonly number[]): number {
  let units = 0;
  for (let i = 1; i < runs.length; i += RUN) units += runs[i]!;
  return units;
}

/** The time of the unit with this number, counted from 1, oldest first. */
function timeOf(runs: readonly number[], unit: number): number {
  let i = 0;
  for (let left = unit - runs[i + 1]!; left > 0; left -= runs[i + 1]!) i += RUN;
  return runs[i]!;
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

/**
 * Only units of exactly that moment.
 *
 * A log in memory merges runs, so that units may count from a slightly later moment than they were taken at. They come back
 * from the run that they were merged into, which is certain to hold them: a run knows the first of its moments, and the others
 * follow without a gap.
 */
export const refundSlidingWindowLog: RefundModel<
  SlidingWindowLogParameters,
  SlidingWindowLogState
> = (state, { nowUs, takenAtUs, cost, parameters }) => {
  const { runs } = state;
  const at = firstAfter(runs, takenAtUs - 1);
  const [, units = 0, firstUs = Infinity] = runs.slice(at, at + RUN);
  const isCounting = takenAtUs > nowUs - parameters.windowUs;
  const refunded = isCounting && firstUs <= takenAtUs ? Math.min(cost, units) : 0;
  if (refunded === 0) return { refunded, state };
  const left = runs.slice();
  if (refunded === units) left.splice(at, RUN);
  else left[at + 1]! -= refunded;
  return { refunded, state: { runs: left } };
};

/** Bytes of the state in Redis: a trailer, and 10 for each request; twice as many, because Redis doubles a text that grows. */
export const slidingWindowLogBytes = (limit: number): number => 2 * (33 + 10 * limit);

/** The script that decides several policies without reading all of a log. */
export const LOGS = { scripts: { decide: DECIDE_LOGS } };

export const SLIDING_WINDOW_LOG: ImplementationOf<SlidingWindowLogPolicy> =
  /* @__PURE__ */ defineAlgorithm<SlidingWindowLogPolicy, WindowValues, SlidingWindowLogParameters>(
    {
      name: "sliding-window-log",
      code: "l",
      layout: 3,
      // A log stores every request: 100,000 take up to 2 MB in one key.
      maxLimit: 100_000,
      limitHint: ", or a segmented-window for more",
      options: { window: WINDOW },
      nameParts: windowNameParts,

      quotaOf: (limit, { window: windowUs }) => quotaOf(limit, windowUs),
      parameters: ["windowUs", "unused"],
      meaning: ({ windowUs }) => [lengthText(windowUs)],

      lease: {
        tighten: ({ limit, windowUs }, leaseUs) => quotaOf(limit, windowUs + leaseUs),
        maxUs: maxWindowLeaseUs,
      },
      partOf: partOfWindow,
      script,
      features: { logs: LOGS },
    },
  );

function quotaOf(limit: number, windowUs: number): Quota<SlidingWindowLogParameters> {
  return { limit, windowUs, parameters: { windowUs, unused: 0 } };
}
