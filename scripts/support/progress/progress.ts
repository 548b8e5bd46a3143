import { SingleBar } from "cli-progress";

import { createEstimate, type Stage } from "./estimate.ts";
import { progressLine, timeOf } from "./line.ts";

/** Shows how far a run of several stages is, and how long all of it will still take. */
export interface Progress {
  begin(stage: string): void;
  /** The current step of the stage, and the share of it that is done: without one, the elapsed time shows the progress. */
  tell(note: string, share?: number): void;
  end(): void;
}

export interface ProgressOptions {
  /** Default: the standard error, so that results can be piped on. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Milliseconds. Default: a clock that is never set back. */
  readonly now?: () => number;
}

/** The width of a terminal that does not report one. */
export const USUAL_COLUMNS = 80;

/** One bar for all stages on a terminal; elsewhere a line as each begins. */
export function startProgress(
  stages: readonly Stage[],
  { stream = process.stderr, now = () => performance.now() }: ProgressOptions = {},
): Progress {
  const estimate = createEstimate(stages, now);
  const labelOf = (name: string) =>
    `${name}, ${stages.findIndex((stage) => stage.name === name) + 1} of ${stages.length}`;
  if (!stream.isTTY) {
    return {
      begin(name) {
        estimate.begin(name);
        stream.write(`${labelOf(name)}, about ${timeOf(estimate.state().leftMs)} left\n`);
      },
      tell: (_note, share) => share !== undefined && estimate.reach(share),
      end: () => {},
    };
  }

  let [stage, note] = ["", ""];
  const line = () =>
    progressLine({ ...estimate.state(), stage, note }, stream.columns || USUAL_COLUMNS);
  const bar = new SingleBar({
    format: line,
    stream,
    // A user who ends the program by a signal wants a cursor, and the program to end.
    hideCursor: false,
    gracefulExit: false,
    // The line is as wide as it may be already.
    linewrap: true,
  });
  bar.start(1, 0);
  return {
    begin(name) {
      estimate.begin(name);
      [stage, note] = [labelOf(name), ""];
      bar.update(0);
    },
    tell(text, share) {
      note = text;
      if (share !== undefined) estimate.reach(share);
      bar.update(0);
    },
    end() {
      estimate.end();
      [stage, note] = ["", ""];
      bar.stop();
    },
  };
}
