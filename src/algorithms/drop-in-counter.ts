import { defineForDropIns } from "./algorithm.ts";
import type { AlgorithmModel } from "./model.ts";

/** The effect of a charge, as `lua/dropins/counter.lua` knows it. */
export const ACTION = { add: 0, set: 1, takeBack: 2, forget: 3 } as const;

/** How a counter is asked, in the script's order. */
export interface CounterParameters extends Readonly<Record<string, number>> {
  /** Not the cost of the request, which cannot be less than none. */
  readonly points: number;
  /** How long points count from the first of them. For `takeBack`, the latest end of points that may get smaller. */
  readonly windowUs: number;
  /** How long all points count after a charge that takes them past the threshold; 0 for as long as before. */
  readonly blockUs: number;
  readonly threshold: number;
  /** One of `ACTION`. */
  readonly action: number;
}

/** The points of a key. */
export interface CounterState {
  /** When they are forgotten. */
  readonly endsUs: number;
  /** How long after the last change of `endsUs` that was. */
  readonly lengthUs: number;
  /** May be less than none. */
  readonly used: number;
}

/** The number of points stays between this and its negative: clients of Redis for Node misread numbers near 2^53. */
const MOST_POINTS = 2 ** 52;

const NO_POINTS: CounterState = { endsUs: 0, lengthUs: 0, used: 0 };

const countPoints: AlgorithmModel<CounterParameters, CounterState> = (
  state,
  { nowUs, operation, limit, parameters },
) => {
  const { points, windowUs, blockUs, threshold, action } = parameters;
  const charges = operation === "charge";
  const isLive = state !== undefined && nowUs < state.endsUs;
  const stepped = isLive && state.endsUs - nowUs > state.lengthUs;
  const found: CounterState = isLive ? state : { endsUs: nowUs, lengthUs: 0, used: 0 };
  let { endsUs, lengthUs, used } = stepped ? { ...found, endsUs: nowUs + found.lengthUs } : found;
  let begins = stepped && operation !== "peek";
  const before = used;
  const allowed = charges || used + points <= limit;

  function begin(lastsUs: number): void {
    endsUs = nowUs + lastsUs;
    lengthUs = lastsUs;
    begins = true;
  }

  const forgets = charges && action === ACTION.forget;
  if (forgets) {
    // The answer is as if it had not.
  } else if (charges && action === ACTION.set) {
    used = points;
    begin(windowUs);
  } else if (charges && action === ACTION.takeBack) {
    if (endsUs <= windowUs && used > 0) used = Math.max(0, used - points);
  } else if (charges || (operation === "consume" && allowed)) {
    if (endsUs === nowUs) begin(windowUs);
    used += points;
    if (blockUs > 0 && used > threshold && before <= threshold) begin(blockUs);
  }

  used = Math.max(-MOST_POINTS, Math.min(MOST_POINTS, used));
  let kept = state;
  if (begins || used !== before) kept = endsUs > nowUs ? { endsUs, lengthUs, used } : NO_POINTS;
  return {
    allowed,
    remaining: limit - used,
    retryAfterUs: used + points > limit ? endsUs - nowUs : 0,
    resetAfterUs: endsUs - nowUs,
    // A memory keeps a state until there is another one.
    state: forgets ? state && NO_POINTS : kept,
  };
};

export const COUNTER = /* @__PURE__ */ defineForDropIns("counter", countPoints);
