import type { RefundModel } from "./model.ts";
import { RUN, type SlidingWindowLogState } from "./runs.ts";
import type { SlidingWindowLogParameters } from "./sliding-window-log.ts";

/**
 * Only units of exactly that moment, and of a full log that units were pushed out of only the newest.
 *
 * A log in memory merges runs, so that units may count from a slightly later moment than they were taken at. They come back
 * from the run that they were merged into, which is certain to hold them: a run knows the first of its moments, the others
 * follow without a gap, and the oldest run, from which a charge drops units, is never merged. Which of its units are
 * forgotten makes no difference, because all count from the same moment.
 */
export const refundSlidingWindowLog: RefundModel<
  SlidingWindowLogParameters,
  SlidingWindowLogState
> = (state, { nowUs, takenAtUs, cost, limit, parameters }) => {
  const startUs = nowUs - parameters.windowUs;
  const { runs, pushedOut } = state;
  let counting = 0;
  let held = 0;
  for (let i = 0; i < runs.length; i += RUN) {
    if (runs[i]! > startUs) counting += runs[i + 1]!;
    if (holds(runs, i, takenAtUs)) held += runs[i + 1]!;
  }
  const isWhole = !pushedOut || counting < limit;
  const sure = takenAtUs > startUs && (isWhole || runs.at(-RUN) === takenAtUs);
  const given = sure ? Math.min(cost, held) : 0;
  if (given === 0) return { given, state };
  const left: number[] = [];
  let rest = given;
  for (let i = 0; i < runs.length; i += RUN) {
    const back = holds(runs, i, takenAtUs) ? Math.min(rest, runs[i + 1]!) : 0;
    rest -= back;
    if (runs[i + 1]! > back) left.push(runs[i]!, runs[i + 1]! - back, runs[i + 2]!);
  }
  return { given, state: { runs: left, pushedOut } };
};

/** Whether the run that begins there has what was taken at this moment. */
function holds(runs: readonly number[], at: number, takenAtUs: number): boolean {
  return runs[at + 2]! <= takenAtUs && takenAtUs <= runs[at]!;
}
