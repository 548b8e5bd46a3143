/** How often it looks, in milliseconds. */
const TICK = 10;

export interface Elapsed {
  /** By the clock, in milliseconds. */
  readonly ms: number;
  /** The share of this process: a promise about time is not broken by a machine that gives none. */
  readonly ownMs: number;
}

export function startStopwatch(): () => Elapsed {
  const started = performance.now();
  let ownMs = 0;
  const timer = setInterval(() => (ownMs += TICK), TICK);
  return function stop() {
    clearInterval(timer);
    return { ms: performance.now() - started, ownMs };
  };
}
