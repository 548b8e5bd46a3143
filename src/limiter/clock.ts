/** Milliseconds on a clock that never goes back. On Workers it stands still between I/O, which only makes it early. */
export const monotonicNow = (): number => performance.now();
