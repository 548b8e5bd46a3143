/** Longer than all times dated by this clock: a denial lasts a minute, a lease ten seconds. */
const JUMP_MS = 120_000;

/** The largest difference between the clocks of concurrent requests without a step. */
const TOLERANCE_MS = 10;

/**
 * A clock that never goes back, in milliseconds. On Workers `performance.now()` is the wall clock, which may be set
 * back. The elapsed time is then unknown, so this clock jumps ahead until all times dated by it have expired.
 *
 * A step back stays unnoticed if more time than the step passes before the clock is read again.
 *
 * @param read a clock that may step; it may stand still
 */
export function steadyClock(read: () => number): () => number {
  let last = -Infinity;
  let ahead = 0;

  return () => {
    const time = read() + ahead;
    if (time >= last) return (last = time);
    const jump = last - time > TOLERANCE_MS ? JUMP_MS : 0;
    last += jump;
    ahead += last - time;
    return last;
  };
}

/** The isolate's clock. On Workers it stands still between I/O, so it lags by the CPU time of the request at most. */
export const monotonicNow = steadyClock(() => performance.now());

/** The result of a call that took too long. */
export const TIMED_OUT = Symbol("timed out");

/**
 * Resolves with the answer, or `TIMED_OUT` after `ms`. The timer belongs to the calling request: on Workers the answer may
 * depend on another request, which may end first. It starts before the call, so it fires before any timer of the callee.
 */
export async function withTimeout<Value>(
  ms: number,
  ask: () => Value | Promise<Value>,
): Promise<Value | typeof TIMED_OUT> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), ms);
  });
  try {
    return await Promise.race([ask(), patience]);
  } finally {
    clearTimeout(timer);
  }
}
