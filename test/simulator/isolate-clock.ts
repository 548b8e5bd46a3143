/** How an isolate's clock differs from the server's. */
export interface ClockDifference {
  /** Where the monotonic clock starts, in microseconds. */
  readonly offset: number;
  /** What the wall clock shows at the start, in microseconds. */
  readonly wallOffset: number;
  /** How much faster it runs, in parts per million. */
  readonly drift: number;
}

/** The two clocks of an isolate, which nothing ever compares with the server's. */
export interface IsolateClock {
  /** Milliseconds, as `performance.now()`. */
  monotonic(): number;
  /** Whole milliseconds, as `Date.now()`. */
  wall(): number;
  /** The virtual time at which this clock will have moved on by so many milliseconds. */
  timeAfter(milliseconds: number): number;
}

export function createIsolateClock(
  { offset, wallOffset, drift }: ClockDifference,
  time: { readonly now: number },
): IsolateClock {
  const rate = 1 + drift / 1e6;
  return {
    monotonic: () => (offset + time.now * rate) / 1000,
    wall: () => Math.floor((wallOffset + time.now * rate) / 1000),
    timeAfter: (milliseconds) => time.now + Math.ceil((milliseconds * 1000) / rate),
  };
}
