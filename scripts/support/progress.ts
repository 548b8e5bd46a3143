import { clearLine, cursorTo } from "node:readline";

/** A part of a run, one after the other. */
export interface Stage {
  readonly name: string;
  /** How long it takes on a usual machine. */
  readonly expectedMs: number;
}

/** Shows on the standard error how far a run of several stages is, so that results can be piped on. */
export interface Progress {
  begin(stage: string): void;
  /** The current step of the stage, and the share of it that is done: on a terminal only, in one line. */
  tell(note: string, share: number): void;
  end(): void;
}

/** The width of a terminal that does not report one. */
export const USUAL_COLUMNS = 80;

/** A line as each stage begins, with the time that it and those after it usually take. */
export function startProgress(stages: readonly Stage[], stream = process.stderr): Progress {
  function clear(): void {
    if (!stream.isTTY) return;
    clearLine(stream, 0);
    cursorTo(stream, 0);
  }
  return {
    begin(name) {
      clear();
      const at = stages.findIndex((stage) => stage.name === name);
      const leftMs = stages.slice(at).reduce((sum, { expectedMs }) => sum + expectedMs, 0);
      const seconds = Math.ceil(leftMs / 1000);
      const left = seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
      stream.write(`${name}, ${at + 1} of ${stages.length}, about ${left} left\n`);
    },
    tell(note, share) {
      if (!stream.isTTY) return;
      clear();
      const line = `${Math.floor(100 * share)} %  ${note}`;
      // A terminal wraps when the last column is taken.
      stream.write(line.slice(0, (stream.columns || USUAL_COLUMNS) - 1));
    },
    end: clear,
  };
}
