/** A quiet phase, the surge, and a phase after it, in milliseconds. */
export interface Phases {
  readonly quietMs: number;
  readonly surgeMs: number;
  readonly afterMs: number;
}

/** Long enough for waits of 30 s to show in the surge, and for a queue to drain after it. */
export const PHASES: Phases = { quietMs: 6_000, surgeMs: 40_000, afterMs: 8_000 };

/** As long as it takes to see that all of it runs. */
export const SHORT_PHASES: Phases = { quietMs: 1_000, surgeMs: 3_000, afterMs: 1_000 };

export function lengthOf({ quietMs, surgeMs, afterMs }: Phases): number {
  return quietMs + surgeMs + afterMs;
}
