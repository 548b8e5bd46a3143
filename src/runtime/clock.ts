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
