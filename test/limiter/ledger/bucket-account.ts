import type { Account, Take, Taker } from "./account.ts";

/** The account of a token bucket, in the time that units take to come back. */
export function bucketAccount(intervalUs: number, isExact: boolean): Account {
  const taken = new Map<Taker, Take>();
  let usedUs = 0;
  let atUs = 0;
  /** Whether a charge was cut off since the bucket was last full. */
  let isCut = false;
  /** Of those that the bucket had: a state does not say by which a charge was cut off. */
  let smallestLimit = Infinity;
  let exact = isExact;

  function drain(nowUs: number): void {
    usedUs = Math.max(0, usedUs - (nowUs - atUs));
    atUs = nowUs;
    if (usedUs === 0) isCut = false;
  }

  /** Whether a charge may have been cut off since a take, for all that a bucket's state says. */
  function isInDoubt(taker: Taker, nowUs: number): boolean {
    const { atUs: takenAtUs } = taken.get(taker) ?? { atUs: nowUs };
    return isCut || usedUs + (nowUs - takenAtUs) >= 2 * smallestLimit * intervalUs;
  }

  /** The amount of a refund, in microseconds: units that have refilled since are back already. */
  function backUs(taker: Taker, units: number, nowUs: number): number {
    const take = taken.get(taker);
    if (!take) return 0;
    const owedUs = Math.min(units, take.units) * intervalUs - (nowUs - take.atUs);
    return Math.max(0, Math.min(usedUs, owedUs));
  }

  return {
    get exact() {
      return exact;
    },
    used(nowUs) {
      drain(nowUs);
      return Math.ceil(usedUs / intervalUs);
    },
    fits(units, limit, nowUs) {
      drain(nowUs);
      smallestLimit = Math.min(smallestLimit, limit);
      return usedUs + units * intervalUs <= limit * intervalUs;
    },
    take(taker, units, nowUs) {
      drain(nowUs);
      usedUs += units * intervalUs;
      taken.set(taker, { taker, atUs: nowUs, units });
    },
    charge(units, limit, nowUs) {
      drain(nowUs);
      smallestLimit = Math.min(smallestLimit, limit);
      // More than that may be used under a larger limit.
      const room = Math.max(0, 2 * limit * intervalUs - usedUs);
      const counted = Math.min(units * intervalUs, room);
      usedUs += counted;
      if (counted < units * intervalUs) isCut = true;
      return counted / intervalUs;
    },
    due(taker, units, nowUs) {
      drain(nowUs);
      if (!exact || isInDoubt(taker, nowUs)) return undefined;
      return Math.floor(backUs(taker, units, nowUs) / intervalUs);
    },
    giveBack(taker, asked, given, nowUs) {
      drain(nowUs);
      // It gives fractions of a unit, too, which only the arithmetic can say.
      if (isInDoubt(taker, nowUs)) exact = false;
      usedUs -= exact ? backUs(taker, asked, nowUs) : given * intervalUs;
      const take = taken.get(taker);
      if (take) take.units -= given;
    },
    outstanding: (taker) => taken.get(taker)?.units ?? 0,
  };
}
