/** How an isolate's clock differs from the server's. */
export interface ClockDifference {
  /** Where the monotonic clock starts, in microseconds. */
  readonly offset: number;
  /** The wall clock's time at the start, in microseconds. */
  readonly wallOffset: number;
  /** How much faster it runs, in parts per million. */
  readonly drift: number;
}

/** The two clocks of an isolate, which nothing ever compares with the server's. As on Workers, both can be set. */
export interface IsolateClock {
  /** Milliseconds, as `performance.now()`. For the product alone: a time that it does not read is unknown to it. */
  monotonic(): number;
  /** Whole milliseconds, as `Date.now()`. */
  wall(): number;
  /** Sets both clocks, by whole milliseconds given in microseconds. */
  step(by: number): void;
  /** The sum of all steps, in microseconds. */
  readonly stepped: number;
  /** Whether it was never set. */
  readonly isSteady: boolean;
  /** Milliseconds that have passed in truth, by a clock that runs as fast. */
  elapsed(): number;
  /** The product's possible knowledge of steps. */
  readonly seen: Seen;
  /** The virtual time at which this clock will have moved on by this many milliseconds. */
  timeAfter(milliseconds: number): number;
}

/** Times in milliseconds, but for virtual ones. */
export interface Seen {
  /** How often it has seen the clock go back. */
  readonly backwards: number;
  /** The time that steps forwards have made it believe has passed. */
  readonly gained: number;
  /** The time that has passed and that steps back have hidden, and the virtual time at which it was hidden last. */
  readonly lost: number;
  readonly lostAt: number;
}

/** A step back of no more than this, in microseconds, may be taken for another request's clock that is behind. */
const TREMOR = 10_000;

export function createIsolateClock(
  { offset, wallOffset, drift }: ClockDifference,
  time: { readonly now: number },
): IsolateClock {
  const rate = 1 + drift / 1e6;
  let stepped = 0;
  let isSteady = true;
  let readAt: number | undefined;
  /** Since it was read last. */
  let unread = 0;
  const seen = { backwards: 0, gained: 0, lost: 0, lostAt: -Infinity };

  function read(): void {
    const passed = time.now * rate - (readAt ?? Infinity);
    const moved = passed + unread;
    if (readAt !== undefined && unread !== 0) {
      if (moved < -TREMOR) seen.backwards++;
      else if (unread > 0) seen.gained += unread / 1000;
      else {
        seen.lost += (passed - Math.max(0, moved)) / 1000;
        seen.lostAt = time.now;
      }
    }
    readAt = time.now * rate;
    unread = 0;
  }

  return {
    monotonic() {
      read();
      return (offset + time.now * rate + stepped) / 1000;
    },
    wall: () => Math.floor((wallOffset + time.now * rate + stepped) / 1000),
    step(by) {
      stepped += by;
      isSteady = false;
      unread += by;
    },
    get isSteady() {
      return isSteady;
    },
    get stepped() {
      return stepped;
    },
    elapsed: () => (time.now * rate) / 1000,
    seen,
    timeAfter: (milliseconds) => time.now + Math.ceil((milliseconds * 1000) / rate),
  };
}
