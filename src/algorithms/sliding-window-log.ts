import {
  defineAlgorithm,
  IMPLEMENTATION,
  type ImplementationOf,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import { keepAlive, type LogRequest, settingsAfter } from "./log-settings.ts";
import { type AlgorithmModel, type RefundModel, takes, waitingCost } from "./model.ts";
import { RUN, type SlidingWindowLogParameters, type SlidingWindowLogState } from "./runs.ts";
import { SLIDING_WINDOW_LOG as script } from "./scripts.generated.ts";
import {
  maxWindowLeaseUs,
  scaleWindow,
  WINDOW,
  windowNameParts,
  type WindowOptions,
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

/** The script's field has three bytes; a log holds far fewer units. */
const MOST_PUSHED = 2 ** 24 - 1;

const model: AlgorithmModel<SlidingWindowLogParameters, SlidingWindowLogState> = (
  state,
  request,
) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { windowUs } = parameters;
  const before = state && untilNow(state, nowUs);
  const allowed = ownWindow(before, request).units + cost <= limit;
  const isTaken = takes(operation, allowed);
  const after = isTaken
    ? take(before, request)
    : operation === "peek"
      ? before
      : before && keepAlive(before, request);

  const { units, from, beside } = ownWindow(after, request);
  const missing = units + waitingCost(request) - limit;
  return {
    allowed,
    remaining: Math.max(0, limit - units),
    retryAfterUs: missing > 0 ? timeOf(after!.runs, from, missing - beside) + windowUs - nowUs : 0,
    resetAfterUs: units > 0 ? after!.runs.at(-RUN)! + windowUs - nowUs : 0,
    state: after,
  };
};

/** Once the clock has stepped back, units from the future were taken now at the latest, and stay for a window from now. */
function untilNow(state: SlidingWindowLogState, nowUs: number): SlidingWindowLogState {
  if ((state.runs.at(-RUN) ?? 0) <= nowUs) return state;
  const runs = state.runs.map((number, i) => (i % RUN === 1 ? number : Math.min(number, nowUs)));
  return { ...state, runs };
}

interface OwnWindow {
  /** How many units the request's own window holds. */
  readonly units: number;
  /** The index of its first run. */
  readonly from: number;
  /** How many of the units were pushed out, and count with its first. */
  readonly beside: number;
}

function ownWindow(
  state: SlidingWindowLogState | undefined,
  { nowUs, parameters }: LogRequest,
): OwnWindow {
  if (!state) return { units: 0, from: 0, beside: 0 };
  const { runs, pushed } = state;
  const from = firstAfter(runs, nowUs - parameters.windowUs);
  const beside = from === 0 ? pushed : 0;
  return { units: unitsOf(runs, from) + beside, from, beside };
}

/** Beyond the largest limit, new units push out the oldest ones, so that a log has a size. */
function take(
  state: SlidingWindowLogState | undefined,
  request: LogRequest,
): SlidingWindowLogState {
  const { nowUs, cost, limit, maxMoments = Infinity } = request;
  const { longestUs, largest, askingUs, renewalMs } = settingsAfter(state, request);

  const first = firstAfter(state?.runs ?? [], nowUs - longestUs);
  const left = state?.runs.slice(first) ?? [];
  const used = unitsOf(left, 0);
  // Only the newest units up to the limit matter of a charge.
  const units = Math.min(cost, limit);
  const pushing = Math.max(0, used + units - largest);
  const pushed = (first === 0 ? (state?.pushed ?? 0) : 0) + pushing;
  const runs = withUnits(dropOldest(left, pushing), nowUs, units);
  if (runs.length > RUN * maxMoments) mergeClosest(runs);
  return { runs, pushed: Math.min(pushed, MOST_PUSHED), longestUs, largest, askingUs, renewalMs };
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

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

/** How many units the runs from there on have. */
function unitsOf(runs: readonly number[], from: number): number {
  let units = 0;
  for (let i = from + 1; i < runs.length; i += RUN) units += runs[i]!;
  return units;
}

/** The time of the unit with this number, counted from 1 at this run, oldest first; the first one if it is below 1. */
function timeOf(runs: readonly number[], from: number, unit: number): number {
  let i = from;
  for (let left = unit - runs[i + 1]!; left > 0; left -= runs[i + 1]!) i += RUN;
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

/**
 * Only units of exactly that moment, and never the oldest unit while those that were pushed out count with it.
 *
 * A log in memory merges runs, so that units may count from a slightly later moment than they were taken at. They come back
 * from the run that they were merged into, which is certain to hold them: a run knows the first of its moments, the others
 * follow without a gap, and the oldest run, from which units are pushed out, is never merged. Which of its units are
 * forgotten makes no difference, because all count from the same moment.
 */
export const refundSlidingWindowLog: RefundModel<
  SlidingWindowLogParameters,
  SlidingWindowLogState
> = (state, { nowUs, takenAtUs, cost }) => {
  const { runs, pushed, longestUs } = state;
  if (takenAtUs <= nowUs - longestUs) return { refunded: 0, state };
  const left: number[] = [];
  let rest = cost;
  for (let i = 0; i < runs.length; i += RUN) {
    const stays = i === 0 && pushed > 0 ? 1 : 0;
    const back = holds(runs, i, takenAtUs) ? Math.min(rest, runs[i + 1]! - stays) : 0;
    rest -= back;
    if (runs[i + 1]! > back) left.push(runs[i]!, runs[i + 1]! - back, runs[i + 2]!);
  }
  return rest < cost
    ? { refunded: cost - rest, state: { ...state, runs: left } }
    : { refunded: 0, state };
};

/** Whether the run that begins there has the units of this moment. */
function holds(runs: readonly number[], at: number, takenAtUs: number): boolean {
  return runs[at + 2]! <= takenAtUs && takenAtUs <= runs[at]!;
}

/** Bytes of the state in Redis: a header and pages of 8 units of 7 bytes; a ring of one page has no copy of it. */
export function slidingWindowLogBytes(limit: number): number {
  const pages = Math.ceil(limit / 8);
  return 56 + 56 * (pages === 1 ? 1 : pages + 1);
}

export const SLIDING_WINDOW_LOG: ImplementationOf<SlidingWindowLogPolicy> =
  /* @__PURE__ */ defineAlgorithm<
    SlidingWindowLogPolicy,
    WindowValues,
    SlidingWindowLogParameters,
    SlidingWindowLogState
  >({
    name: "sliding-window-log",
    code: "l",
    layout: 2,
    // A log stores every unit: 100,000 take 700 KB in one key, and its header counts to 2^17.
    maxLimit: 100_000,
    limitHint: ", or a segmented-window for more",
    options: { window: WINDOW },
    nameParts: windowNameParts,

    quotaOf: (limit, { window: windowUs }) => quotaOf(limit, windowUs),
    parameters: ["windowUs", "unused"],
    ttl: () => 0,
    setting: ({ limit, parameters: { windowUs } }) =>
      // As the script writes the settings of a log that only this policy has asked.
      [hex(windowUs, 12), hex(limit, 5), hex(windowUs, 12), hex(0, 6)].join(""),

    lease: {
      tighten: ({ limit, windowUs }, leaseUs) => quotaOf(limit, windowUs + leaseUs),
      maxUs: maxWindowLeaseUs,
    },
    scale: scaleWindow,
    script,
    model,
  });

function quotaOf(limit: number, windowUs: number): Quota<SlidingWindowLogParameters> {
  return { limit, windowUs, parameters: { windowUs, unused: 0 } };
}
