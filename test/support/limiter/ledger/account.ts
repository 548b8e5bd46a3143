import { BAN_US, type Counting, SEGMENTS } from "./policies.ts";

/*
 * What one key counts, by the ledger's own arithmetic: who took how many units and when, and who gave how many back.
 */

/** Whoever takes: the number of a page of the ledger. */
export type Taker = number;

export interface Account {
  /** Whether the arithmetic still says each number exactly. */
  readonly exact: boolean;
  /** Units that count now. */
  used(nowUs: number): number;
  fits(units: number, limit: number, nowUs: number): boolean;
  take(taker: Taker, units: number, nowUs: number): void;
  /** Takes what a debt has room for: up to twice the limit in all. Returns how many units count. */
  charge(units: number, limit: number, nowUs: number): number;
  /** Returns how many units have to come back; `undefined` if that is in doubt. */
  due(taker: Taker, units: number, nowUs: number): number | undefined;
  /** Units that come back of those asked for. */
  giveBack(taker: Taker, asked: number, given: number, nowUs: number): void;
  /** How many units of this taker were taken and not given back, whether or not they still count. */
  outstanding(taker: Taker): number;
}

interface Take {
  readonly taker: Taker | undefined;
  readonly atUs: number;
  units: number;
}

interface Cells {
  /** Where units of this moment are counted. */
  readonly cell: (atUs: number, windowUs: number) => number;
  /** How much of a unit of this cell counts now, from 0 to `windowUs`. */
  readonly weight: (cell: number, nowUs: number, windowUs: number) => number;
}

const window = (atUs: number, windowUs: number) => Math.floor(atUs / windowUs);
const segment = (atUs: number, windowUs: number) => Math.floor((atUs * SEGMENTS) / windowUs);

const CELLS: Record<Exclude<Counting, "token-bucket">, Cells> = {
  "fixed-window": {
    cell: window,
    weight: (cell, nowUs, windowUs) => (cell === window(nowUs, windowUs) ? windowUs : 0),
  },
  "segmented-window": {
    cell: segment,
    weight: (cell, nowUs, windowUs) =>
      segment(nowUs, windowUs) - cell <= SEGMENTS ? windowUs : 0,
  },
  "sliding-window-log": {
    cell: (atUs) => atUs,
    weight: (cell, nowUs, windowUs) => (cell > nowUs - windowUs ? windowUs : 0),
  },
  "sliding-window-counter": {
    cell: window,
    weight(cell, nowUs, windowUs) {
      const age = window(nowUs, windowUs) - cell;
      return age === 0 ? windowUs : age === 1 ? windowUs - (nowUs % windowUs) : 0;
    },
  },
};

/** The account of a window or a log. */
export function windowAccount(
  algorithm: Exclude<Counting, "token-bucket">,
  windowUs: number,
): Account {
  const { cell, weight } = CELLS[algorithm];
  const isLog = algorithm === "sliding-window-log";
  let takes: Take[] = [];
  /** The cells that a charge was cut off from: nothing comes back there. */
  const cut = new Set<number>();
  let exact = true;

  /** Units that count, times the window. */
  function weighed(nowUs: number): number {
    let sum = 0;
    for (const { atUs, units } of takes) {
      sum += units * weight(cell(atUs, windowUs), nowUs, windowUs);
    }
    return sum;
  }

  function add(taker: Taker | undefined, units: number, nowUs: number): void {
    // What counts no more is never asked about again.
    takes = takes.filter(({ atUs }) => nowUs - atUs <= 2 * BAN_US);
    takes.push({ taker, atUs: nowUs, units });
  }

  const of = (taker: Taker) => takes.filter((take) => take.taker === taker);

  return {
    get exact() {
      return exact;
    },
    used: (nowUs) => Math.ceil(weighed(nowUs) / windowUs),
    fits: (units, limit, nowUs) => weighed(nowUs) + units * windowUs <= limit * windowUs,
    take: add,

    charge(units, limit, nowUs) {
      const here = cell(nowUs, windowUs);
      const inCell = takes.filter(({ atUs }) => cell(atUs, windowUs) === here);
      const before = inCell.reduce((sum, take) => sum + take.units, 0);
      const counted = Math.min(units, isLog ? limit : Math.max(0, 2 * limit - before));
      if (counted < units && !isLog) cut.add(here);
      // A log pushes its oldest units out: which ones, depends on the limits of before.
      if (isLog && weighed(nowUs) / windowUs + counted > limit) exact = false;
      add(undefined, counted, nowUs);
      return counted;
    },

    due(taker, units, nowUs) {
      let due = 0;
      for (const take of of(taker)) {
        const at = cell(take.atUs, windowUs);
        if (weight(at, nowUs, windowUs) > 0 && !cut.has(at)) due += take.units;
      }
      return exact ? Math.min(units, due) : undefined;
    },

    giveBack(taker, _asked, given) {
      let left = given;
      for (const take of of(taker)) {
        const back = Math.min(left, take.units);
        take.units -= back;
        left -= back;
      }
    },

    outstanding: (taker) => of(taker).reduce((sum, { units }) => sum + units, 0),
  };
}

/** The account of a token bucket, in the time that units take to come back. */
export function bucketAccount(intervalUs: number, isExact: boolean): Account {
  const taken = new Map<Taker, Take>();
  let usedUs = 0;
  let atUs = 0;
  /** Whether a charge was cut off since the bucket was last full. */
  let isCut = false;
  let exact = isExact;

  function drain(nowUs: number): void {
    usedUs = Math.max(0, usedUs - (nowUs - atUs));
    atUs = nowUs;
    if (usedUs === 0) isCut = false;
  }

  /** What a refund gives back, in microseconds: what has refilled since is back already. */
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
      return usedUs + units * intervalUs <= limit * intervalUs;
    },
    take(taker, units, nowUs) {
      drain(nowUs);
      usedUs += units * intervalUs;
      taken.set(taker, { taker, atUs: nowUs, units });
    },
    charge(units, limit, nowUs) {
      drain(nowUs);
      const room = 2 * limit * intervalUs - usedUs;
      // More than that may be used under a larger limit.
      if (room < 0) return 0;
      const counted = Math.min(units * intervalUs, room);
      usedUs += counted;
      if (counted < units * intervalUs) isCut = true;
      return counted / intervalUs;
    },
    due(taker, units, nowUs) {
      drain(nowUs);
      return isCut || !exact ? undefined : Math.floor(backUs(taker, units, nowUs) / intervalUs);
    },
    giveBack(taker, asked, given, nowUs) {
      drain(nowUs);
      // It gives fractions of a unit, too, which only the arithmetic can say.
      if (isCut) exact = false;
      usedUs -= exact ? backUs(taker, asked, nowUs) : given * intervalUs;
      const take = taken.get(taker);
      if (take) take.units -= given;
    },
    outstanding: (taker) => taken.get(taker)?.units ?? 0,
  };
}

/** Who holds which slot, and until when. */
export interface SlotAccount {
  used(nowUs: number): number;
  fits(taker: Taker, limit: number, nowUs: number): boolean;
  take(taker: Taker, untilUs: number): void;
  has(taker: Taker, nowUs: number): boolean;
  /** Whether there was a slot to free. */
  free(taker: Taker, nowUs: number): boolean;
}

export function slotAccount(): SlotAccount {
  const untils = new Map<Taker, number>();
  const used = (nowUs: number) => [...untils.values()].filter((until) => until > nowUs).length;
  const has = (taker: Taker, nowUs: number) => (untils.get(taker) ?? 0) > nowUs;
  return {
    used,
    has,
    fits: (taker, limit, nowUs) => has(taker, nowUs) || used(nowUs) < limit,
    take: (taker, untilUs) => void untils.set(taker, untilUs),
    free(taker, nowUs) {
      const had = has(taker, nowUs);
      untils.delete(taker);
      return had;
    },
  };
}
