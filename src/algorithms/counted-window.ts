import { MAX_UNITS } from "./algorithm.ts";
import { type Evaluation, type ModelRequest, type Refund, takes, waitingCost } from "./model.ts";

/** The state of an algorithm with one count per window. */
export interface CountedWindow {
  /** When the counted window ends. */
  readonly endsUs: number;
  /** The setting of that window. */
  readonly setting: number;
  readonly used: number;
  /** Whether a charge was cut off. */
  readonly cut: boolean;
  /** How long the state is kept, if that is longer than the window. */
  readonly keptUntilUs?: number | undefined;
}

/**
 * Decides a request in the window that counts now.
 *
 * @param kept the state if the request takes no units; `undefined` if there was none
 */
export function countIn(
  { endsUs, setting, used, cut, keptUntilUs }: CountedWindow,
  kept: CountedWindow | undefined,
  request: ModelRequest<unknown>,
): Evaluation<CountedWindow> {
  const { nowUs, operation, cost, limit } = request;
  const allowed = used + cost <= limit;
  let [units, state] = [used, kept];
  if (takes(operation, allowed)) {
    units = Math.min(used + cost, Math.max(Math.min(2 * limit, MAX_UNITS), used));
    state = { endsUs, setting, used: units, cut: cut || units < used + cost, keptUntilUs };
  }
  return {
    allowed,
    remaining: Math.max(0, limit - units),
    retryAfterUs: units + waitingCost(request) > limit ? endsUs - nowUs : 0,
    resetAfterUs: units > 0 ? endsUs - nowUs : 0,
    state,
  };
}

/** Gives back to the window that took the units, if that is sure: not from a count from which a charge was cut off. */
export function giveBackIn(
  state: CountedWindow,
  cost: number,
  isSure: boolean,
): Refund<CountedWindow> {
  const refunded = isSure && !state.cut ? Math.min(cost, state.used) : 0;
  return {
    refunded,
    state: refunded > 0 ? { ...state, used: state.used - refunded } : state,
  };
}
