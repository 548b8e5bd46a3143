import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import type { PromisedBound } from "../../support/algorithms/facts.ts";
import { windowOf } from "../window.ts";

/** Units that one request took. Times in microseconds. */
export interface Taken {
  readonly at: number;
  /** The clock that decided about it. */
  readonly clock: number;
  readonly units: number;
  readonly charged: boolean;
  readonly execution?: number;
}

/** Everything taken from one policy by one partition, and whether it may have been. */
export interface Ledger {
  /** Notes the taken units; returns the fault in them, if any. */
  take(taken: Taken): string | undefined;
  /**
   * Counts less of the units that one execution took; returns the fault in them, if any.
   *
   * @param most how much of it may come back in all
   */
  giveBack(execution: number, units: number, most: number): string | undefined;
  /** Forgets units that are no longer counted: of these executions, or of all. */
  lose(executions?: ReadonlySet<number>): void;
  /** The clock jumped, at this time. */
  step(by: number, at: number): void;
  /** Units noted and not lost, however long ago. */
  total(): number;
  /** Units in the window of now, of windows that begin with units. */
  inWindow(): number;
}

interface Entry extends Taken {
  /** Its time, and the time by which steps of the clock have aged earlier entries. */
  readonly aged: number;
  readonly stepsBack: number;
  given: number;
}

/**
 * Adds up the units of the algorithm's promise, without the algorithm's formula. Units age with time, and by a forward step of
 * the clock as far as it goes, but by no more than a window: that is how much a step may give away.
 *
 * @param promise of the policy; `begun` for the limit in each window that begins with the first units after the one before
 */
export function createLedger(policy: CompiledPolicy, promise: PromisedBound | "begun"): Ledger {
  const { algorithm, limit, parameters } = policy;
  const window = windowOf(policy);
  let entries: Entry[] = [];
  let credit = 0;
  const stepped: number[] = [];
  let steady = true;
  let stepsBack = 0;
  /** When the window of now began. */
  let begunAt = -Infinity;

  /** Units younger than the window. */
  function withinWindow(now: number, withCharges: boolean): number {
    let sum = 0;
    for (const { aged, units, charged, given } of entries) {
      if (aged <= now - window || (charged && !withCharges)) continue;
      sum += charged ? Math.min(units, limit) : units - given;
    }
    return sum;
  }

  /** Units requested in the window on the clock's grid that lies `back` windows back. */
  function onGrid(clock: number, back: number): number {
    const index = Math.floor(clock / window) - back;
    let sum = 0;
    for (const entry of entries) {
      if (!entry.charged && Math.floor(entry.clock / window) === index) {
        sum += entry.units - entry.given;
      }
    }
    return sum;
  }

  function inWindow(): number {
    let sum = 0;
    for (const { clock, units, charged, given } of entries) {
      if (!charged && clock >= begunAt) sum += units - given;
    }
    return sum;
  }

  /** More than the burst and the units that have flowed back since some earlier request? */
  function beyondRate(now: number): string | undefined {
    const { intervalUs = 0, divisor = 0 } = parameters;
    let sum = 0;
    for (const { aged, units, charged, given } of entries.toReversed()) {
      if (charged) continue;
      sum += units - given;
      // A bucket gives back parts of units, which are rounded here.
      if (Math.floor((sum - limit) * intervalUs) > (now - aged) * divisor) {
        return `${sum} units in ${now - aged} us, bucket of ${limit}`;
      }
    }
    return undefined;
  }

  function check(now: number, clock: number): string | undefined {
    const most = (units: number, bound: number) =>
      units > bound ? `${units} units where ${bound} may be` : undefined;
    switch (promise) {
      case "trailing":
        return most(withinWindow(now, true), limit);
      case "rate":
        return beyondRate(now);
      case "begun":
      case "grid": {
        // A step ends a window early, or leads back into one whose count has expired.
        const steps = stepped.filter((aged) => aged > now - window).length;
        return (
          most(withinWindow(now, false), (2 + steps) * limit) ??
          (steady ? most(promise === "grid" ? onGrid(clock, 0) : inWindow(), limit) : undefined)
        );
      }
      case "weighted": {
        const weighted = onGrid(clock, 0) * window + onGrid(clock, 1) * (window - (clock % window));
        return (
          most(withinWindow(now, false), 2 * limit) ??
          (steady ? most(weighted, limit * window) : undefined)
        );
      }
    }
  }

  return {
    take(taken) {
      const aged = taken.at + credit;
      entries.push({ ...taken, aged, given: 0, stepsBack });
      if (taken.clock >= begunAt + window) begunAt = taken.clock;
      return taken.charged ? undefined : check(aged, taken.clock);
    },
    giveBack(execution, units, most) {
      if (units === 0) return undefined;
      const entry = entries.find((each) => each.execution === execution);
      // A log knows the moment; others cannot know that they have forgotten the take, or that the clock has passed its time
      // before.
      const isLog = promise === "trailing" && algorithm === "sliding-window-log";
      const isSure = isLog || entry?.stepsBack === stepsBack;
      if (!isSure) entries = [];
      if (!entry) return isSure ? `${units} units came back of what was forgotten` : undefined;
      entry.given += units;
      return entry.given > most ? `${entry.given} units came back where ${most} may` : undefined;
    },
    lose(executions) {
      entries = entries.filter(({ execution }) => executions && !executions.has(execution!));
    },
    step(by, at) {
      steady = false;
      if (by < 0) stepsBack++;
      if (by > 0) credit += Math.min(by, window);
      stepped.push(at + credit);
    },
    inWindow,
    total: () => entries.reduce((sum, { units }) => sum + units, 0),
  };
}
