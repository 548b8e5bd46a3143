import type { RefundModel } from "./model.ts";
import { RUN, type SlidingWindowLogParameters, type SlidingWindowLogState } from "./runs.ts";

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
  if (takenAtUs <= nowUs - longestUs) return { given: 0, state };
  const left: number[] = [];
  let rest = cost;
  for (let i = 0; i < runs.length; i += RUN) {
    const stays = i === 0 && pushed > 0 ? 1 : 0;
    const back = holds(runs, i, takenAtUs) ? Math.min(rest, runs[i + 1]! - stays) : 0;
    rest -= back;
    if (runs[i + 1]! > back) left.push(runs[i]!, runs[i + 1]! - back, runs[i + 2]!);
  }
  return rest < cost
    ? { given: cost - rest, state: { ...state, runs: left } }
    : { given: 0, state };
};

/** Whether the run that begins there has what was taken at this moment. */
function holds(runs: readonly number[], at: number, takenAtUs: number): boolean {
  return runs[at + 2]! <= takenAtUs && takenAtUs <= runs[at]!;
}
