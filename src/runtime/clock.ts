/** Longer than anything dated by this clock counts: a denial for a minute, a lease for ten seconds. Milliseconds. */
const FORGET = 120_000;

/** By how much one request's clock may be behind another's, and none has stepped. Milliseconds. */
const TREMOR = 10;

/**
 * A clock that never goes back, in milliseconds. On Workers `performance.now()` is the wall clock, which can be set
 * back: what time has passed is then unknown, so this clock leaps forwards until everything dated by it is over.
 *
 * A step back is not seen if more time than that passes before the clock is read again.
 *
 * @param read a clock that may step; it may stand still
 */
export function steadyClock(read: () => number): () => number {
  let last = -Infinity;
  let ahead = 0;

  return () => {
    const time = read() + ahead;
    if (time >= last) return (last = time);
    const leap = last - time > TREMOR ? FORGET : 0;
    last += leap;
    ahead += last - time;
    return last;
  };
}

/** The isolate's own. On Workers it stands still between I/O, which only makes it early. */
export const monotonicNow = steadyClock(() => performance.now());
