/** A part of a run, one after the other. */
export interface Stage {
  readonly name: string;
  /** How long it takes on a usual machine; the finished stages then show how this one compares. */
  readonly expectedMs: number;
}

export interface Estimate {
  /** Begins a stage; those before it are done. */
  begin(name: string): void;
  /** The share of the stage that is done. Without it, the stage's time says how far it is. */
  reach(share: number): void;
  end(): void;
  /** The progress of all stages together. */
  state(): { readonly share: number; readonly leftMs: number };
}

/** A stage that takes longer than expected is nearly done until it is. */
const NEARLY = 0.98;
/** The share of the whole from which the pace is measured: a smaller one says too little about the rest. */
const TELLING = 0.02;

export function createEstimate(stages: readonly Stage[], now: () => number): Estimate {
  const startMs = now();
  const totalMs = sumOf(stages);
  let at = 0;
  let beganMs = startMs;
  let reached: number | undefined;

  function doneMs(): number {
    const stage = stages[at];
    if (stage === undefined) return totalMs;
    const elapsed = (now() - beganMs) / stage.expectedMs;
    const share = Math.min(NEARLY, reached ?? elapsed);
    return sumOf(stages.slice(0, at)) + share * stage.expectedMs;
  }

  return {
    begin(name) {
      at = stages.findIndex((stage) => stage.name === name);
      beganMs = now();
      reached = undefined;
    },
    reach(share) {
      reached = share;
    },
    end() {
      at = stages.length;
    },
    state() {
      const done = doneMs();
      const share = done / totalMs;
      const pace = share < TELLING ? 1 : (now() - startMs) / done;
      return { share, leftMs: (totalMs - done) * pace };
    },
  };
}

function sumOf(stages: readonly Stage[]): number {
  return stages.reduce((sum, { expectedMs }) => sum + expectedMs, 0);
}
