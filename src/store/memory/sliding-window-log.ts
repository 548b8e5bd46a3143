import { type AlgorithmModel, takes, waitingCost } from "./algorithm.ts";

/** The time of every unit in microseconds, oldest first. */
export type SlidingWindowLogState = readonly number[];

/** Every unit of the trailing `a` microseconds, each with its time. */
export const slidingWindowLog: AlgorithmModel<SlidingWindowLogState> = (state, request) => {
  const { now, operation, cost, limit, a: window } = request;
  let units = state ?? [];
  let kept = state;
  if ((units.at(-1) ?? 0) > now) {
    // The clock went back: units of a time to come were taken now at the latest, and stay for a window from now.
    units = units.map((unit) => Math.min(unit, now));
    kept = units;
  }
  units = units.slice(firstAfter(units, now - window));

  const allowed = units.length + cost <= limit;
  if (takes(operation, allowed)) {
    // Only the newest units up to the limit can matter: a charge beyond it pushes the oldest out.
    const count = Math.min(cost, limit);
    units = [...units, ...Array<number>(count).fill(now)].slice(-limit);
    kept = units;
  }

  const missing = units.length + waitingCost(request) - limit;
  return {
    allowed,
    remaining: Math.max(0, limit - units.length),
    retryAfter: missing > 0 ? units[missing - 1]! + window - now : 0,
    resetAfter: units.length > 0 ? units.at(-1)! + window - now : 0,
    state: kept,
  };
};

/** Index of the first unit later than `time`. */
function firstAfter(units: readonly number[], time: number): number {
  let low = 0;
  let high = units.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (units[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
