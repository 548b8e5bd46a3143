import { MAX_UNITS } from "./algorithm.ts";
import { type Evaluation, type ModelRequest, type Refund, takes, waitingCost } from "./model.ts";

/** The state of an algorithm with one count per window. */
export interface CountedWindow {
  readonly endsUs: number;
  readonly used: number;
  /** How long the state is kept, if that is longer than the window. */
  readonly keptUntilUs?: number | undefined;
}

export function countIn<Window extends CountedWindow>(
  window: Window,
  kept: Window | undefined,
  request: ModelRequest<unknown>,
): Evaluation<Window> {
  const { nowUs, operation, cost, limit } = request;
  const { endsUs } = window;
  const allowed = window.used + cost <= limit;
  const isTaken = takes(operation, allowed);
  const used = isTaken ? Math.min(window.used + cost, MAX_UNITS + 1) : window.used;
  return {
    allowed,
    remaining: Math.max(0, limit - used),
    retryAfterUs: used + waitingCost(request) > limit ? endsUs - nowUs : 0,
    resetAfterUs: used > 0 ? endsUs - nowUs : 0,
    state: isTaken ? { ...window, used } : kept,
  };
}

/** Gives back to the window that took the units; nothing of the greatest count, beyond which charges were cut off. */
export function giveBackIn<Window extends CountedWindow>(
  state: Window,
  cost: number,
  isInWindow: boolean,
): Refund<Window> {
  const refunded = isInWindow && state.used <= MAX_UNITS ? Math.min(cost, state.used) : 0;
  return { refunded, state: refunded > 0 ? { ...state, used: state.used - refunded } : state };
}
