import type { Account, Take, Taker } from "./account.ts";
import { BAN_US, type Counting, HOUR_AHEAD_US, SEGMENTS } from "./policies.ts";

interface Cells {
  /** Begins a cell for units that are taken now, where cells begin with units. */
  readonly open?: (nowUs: number, windowUs: number) => void;
  /** Where units of this moment are counted. */
  readonly cell: (atUs: number, windowUs: number) => number;
  /** How much of a unit of this cell counts now, from 0 to `windowUs`. */
  readonly weight: (cell: number, nowUs: number, windowUs: number) => number;
}

const window = (atUs: number, windowUs: number) => Math.floor(atUs / windowUs);
const segment = (atUs: number, windowUs: number) => Math.floor((atUs * SEGMENTS) / windowUs);

const hour = (atUs: number, windowUs: number) => Math.floor((atUs + HOUR_AHEAD_US) / windowUs);

/** Windows of which each begins with the first take after the one before it. */
function unaligned(): Cells {
  const begun: number[] = [];
  return {
    open(nowUs, windowUs) {
      if (begun.length === 0 || nowUs >= begun.at(-1)! + windowUs) begun.push(nowUs);
    },
    cell: (atUs) => begun.findLast((startUs) => startUs <= atUs) ?? -Infinity,
    weight: (cell, nowUs, windowUs) => (nowUs < cell + windowUs ? windowUs : 0),
  };
}

const CELLS: Record<Exclude<Counting, "token-bucket" | "unaligned-window">, Cells> = {
  "fixed-window": {
    cell: window,
    weight: (cell, nowUs, windowUs) => (cell === window(nowUs, windowUs) ? windowUs : 0),
  },
  "calendar-window": {
    cell: hour,
    weight: (cell, nowUs, windowUs) => (cell === hour(nowUs, windowUs) ? windowUs : 0),
  },
  "segmented-window": {
    cell: segment,
    weight: (cell, nowUs, windowUs) => (segment(nowUs, windowUs) - cell <= SEGMENTS ? windowUs : 0),
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
  const { open, cell, weight } = algorithm === "unaligned-window" ? unaligned() : CELLS[algorithm];
  let takes: Take[] = [];

  /** Units that count, times the window. */
  function weighed(nowUs: number): number {
    let sum = 0;
    for (const { atUs, units } of takes) {
      sum += units * weight(cell(atUs, windowUs), nowUs, windowUs);
    }
    return sum;
  }

  function add(taker: Taker | undefined, units: number, nowUs: number): void {
    if (units > 0) open?.(nowUs, windowUs);
    // Takes that no longer count are never asked about again.
    takes = takes.filter(({ atUs }) => nowUs - atUs <= 2 * BAN_US);
    takes.push({ taker, atUs: nowUs, units });
  }

  const of = (taker: Taker) => takes.filter((take) => take.taker === taker);

  return {
    exact: true,
    used: (nowUs) => Math.ceil(weighed(nowUs) / windowUs),
    fits: (units, limit, nowUs) => weighed(nowUs) + units * windowUs <= limit * windowUs,
    take: add,

    charge(units, _limit, nowUs) {
      if (units > 0) open?.(nowUs, windowUs);
      add(undefined, units, nowUs);
      return units;
    },

    due(taker, units, nowUs) {
      let due = 0;
      for (const take of of(taker)) {
        const at = cell(take.atUs, windowUs);
        if (weight(at, nowUs, windowUs) > 0) due += take.units;
      }
      return Math.min(units, due);
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
