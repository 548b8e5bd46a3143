import type { FixedWindowState } from "../../../src/algorithms/fixed-window.ts";
import type { SegmentedWindowState } from "../../../src/algorithms/segmented-window.ts";
import type { SlidingWindowCounterState } from "../../../src/algorithms/sliding-window-counter.ts";
import type { SlidingWindowLogState } from "../../../src/algorithms/sliding-window-log.ts";
import type { TokenBucketState } from "../../../src/algorithms/token-bucket.ts";
import type { Algorithm } from "../../../src/policy/policy.ts";

/** One refund as an algorithm sees it. */
export interface RefundRequest {
  readonly nowUs: number;
  /** When the units were taken. */
  readonly takenAtUs: number;
  readonly cost: number;
  readonly limit: number;
  readonly parameters: Readonly<Record<string, number>>;
}

/** How much came back, and what to keep: the same object unless something did. */
export interface Refund<State> {
  readonly given: number;
  readonly state: State | undefined;
}

type RefundModel<State> = (state: State, request: RefundRequest) => Refund<State>;

const fixedWindow: RefundModel<FixedWindowState> = (state, request) => {
  const { nowUs, takenAtUs, cost, limit, parameters } = request;
  const { endsUs, sizeClass, used } = state;
  const inWindow = endsUs - parameters["windowUs"]! <= takenAtUs && nowUs < endsUs;
  const sure = inWindow && sizeClass === parameters["sizeClass"] && used < 2 * limit;
  const given = sure ? Math.min(cost, used) : 0;
  return { given, state: given > 0 ? { ...state, used: used - given } : state };
};

const segmentedWindow: RefundModel<SegmentedWindowState> = (state, request) => {
  const { nowUs, takenAtUs, cost, limit, parameters } = request;
  const { startUs, lengthUs, segments, counts } = state;
  const same = lengthUs === parameters["lengthUs"] && segments === parameters["segments"];
  const holds = counts.findIndex((_count, index) => {
    const beganUs = startUs - index * lengthUs;
    const counting = nowUs < beganUs + (segments + 1) * lengthUs;
    return beganUs <= takenAtUs && takenAtUs < beganUs + lengthUs && counting;
  });
  const sure = same && startUs <= nowUs && holds !== -1 && counts[holds]! < 2 * limit;
  const given = sure ? Math.min(cost, counts[holds]!) : 0;
  const left = counts.map((count, index) => (index === holds ? count - given : count));
  return { given, state: given > 0 ? { ...state, counts: left } : state };
};

const slidingWindowCounter: RefundModel<SlidingWindowCounterState> = (state, request) => {
  const { nowUs, takenAtUs, cost, limit, parameters } = request;
  const windowUs = parameters["windowUs"]!;
  const { startUs, lengthMs } = state;
  const holds = startUs <= takenAtUs ? "current" : "previous";
  const beganUs = holds === "current" ? startUs : startUs - windowUs;
  const inWindow = beganUs <= takenAtUs && takenAtUs < beganUs + windowUs;
  const counting = startUs <= nowUs && nowUs < beganUs + 2 * windowUs;
  const same = lengthMs === Math.ceil(windowUs / 1000);
  const sure = inWindow && counting && same && state[holds] < 2 * limit;
  const given = sure ? Math.min(cost, state[holds]) : 0;
  return { given, state: given > 0 ? { ...state, [holds]: state[holds] - given } : state };
};

const slidingWindowLog: RefundModel<SlidingWindowLogState> = (state, request) => {
  const { nowUs, takenAtUs, cost, limit, parameters } = request;
  const startUs = nowUs - parameters["windowUs"]!;
  const runs = pairsOf(state);
  const counting = runs.filter(([atUs]) => atUs > startUs);
  // A charge may have pushed units out of a full log.
  const full = unitsOf(counting) >= limit;
  const sure = takenAtUs > startUs && (!full || runs.at(-1)![0] === takenAtUs);
  const given = sure ? Math.min(cost, unitsOf(runs.filter(([atUs]) => atUs === takenAtUs))) : 0;
  let rest = given;
  const left = runs.flatMap(([atUs, units]) => {
    const back = atUs === takenAtUs ? Math.min(rest, units) : 0;
    rest -= back;
    return units > back ? [atUs, units - back] : [];
  });
  return { given, state: given > 0 ? left : state };
};

function pairsOf(runs: SlidingWindowLogState): (readonly [atUs: number, units: number])[] {
  return runs.flatMap((atUs, i) => (i % 2 === 0 ? [[atUs, runs[i + 1]!] as const] : []));
}

function unitsOf(runs: readonly (readonly [atUs: number, units: number])[]): number {
  return runs.reduce((sum, [, units]) => sum + units, 0);
}

/** Gives back time, in units of 1/divisor microsecond. */
const tokenBucket: RefundModel<TokenBucketState> = (state, request) => {
  const { nowUs, takenAtUs, cost, limit, parameters } = request;
  const { intervalUs, divisor } = parameters as { intervalUs: number; divisor: number };
  const { written = { intervalUs, divisor } } = state;
  const same = written.intervalUs === intervalUs && written.divisor === divisor;
  const capacity = limit * intervalUs;
  const passed = (nowUs - takenAtUs) * divisor;
  const used = (state.tatUs - nowUs) * divisor + Math.min(state.rest, divisor);
  // Beyond its bound, `used` is cut, or was.
  const sure = same && used + passed < 2 * capacity && (state.debt || used <= capacity);
  const given = sure ? Math.max(0, Math.min(used, cost * intervalUs - passed)) : 0;
  if (given === 0) return { given, state };
  const left = used - given;
  const tatUs = nowUs + Math.floor(left / divisor);
  return { given, state: { ...state, tatUs, rest: left % divisor, debt: left > capacity } };
};

const MODELS: Record<Algorithm, (state: never, request: RefundRequest) => Refund<unknown>> = {
  "token-bucket": tokenBucket,
  "sliding-window-log": slidingWindowLog,
  "sliding-window-counter": slidingWindowCounter,
  "segmented-window": segmentedWindow,
  "fixed-window": fixedWindow,
};

/**
 * The reference for the refund of each algorithm, over the states of its model: what lua/refund.lua must give back.
 * Nothing comes back where there is no state, or from a time to come.
 */
export function refund(
  algorithm: Algorithm,
  state: unknown,
  request: RefundRequest,
): Refund<unknown> {
  if (state === undefined || request.takenAtUs > request.nowUs) return { given: 0, state };
  return MODELS[algorithm](state as never, request);
}
