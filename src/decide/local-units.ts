import type { CompiledPolicy } from "../policy/compile.ts";
import { type ClockCache, createClockCache } from "../runtime/clock-cache.ts";

/** Units that count until their window ends. */
export interface UsedUnits {
  readonly used: number;
  /** Microseconds until the end of the window; 0 if no unit counts. */
  readonly leftUs: number;
}

/**
 * The units that this isolate has admitted without the store, by the keys of policies. Whatever the algorithm, they count in
 * one window as long as the policy's, which begins with the first of them; those of a calendar end with its window.
 */
export interface LocalUnits {
  /** The window of now. */
  find(key: string, policy: CompiledPolicy, nowUs: number): UnitsSince;
  /** Counts so many units in the window that began then. */
  set(key: string, sinceUs: number, used: number): void;
  forget(key: string): void;
}

/** Units, and the moment at which their window began. */
export interface UnitsSince extends UsedUnits {
  readonly sinceUs: number;
}

/** Beyond so many keys, one that was not used lately starts from zero. */
const MAX_KEYS = 10_000;

/** The columns of a key: the beginning of its window, in microseconds since 1970, and its units. */
const COLUMNS = 2;

export function createLocalUnits(): LocalUnits {
  // Created with the first unit, because Workers have no random numbers while a module loads.
  let table: ClockCache | undefined;

  function set(key: string, sinceUs: number, used: number): void {
    table ??= createClockCache(MAX_KEYS, COLUMNS, key.length);
    table.set(key, [sinceUs, used]);
  }

  function find(key: string, { windowUs, parameters }: CompiledPolicy, nowUs: number): UnitsSince {
    const slot = table?.find(key);
    // In this order: the first one turns to the calendar's window of now.
    const { startsUs = 0, endsUs } = parameters;
    if (slot) {
      const [sinceUs, used] = table!.numbers.subarray(slot * COLUMNS) as unknown as [
        number,
        number,
      ];
      // The clock stepped back to before the window began: it begins now.
      if (sinceUs > nowUs) set(key, nowUs, used);
      const beganUs = Math.min(sinceUs, nowUs);
      const leftUs = (endsUs ?? beganUs + Math.ceil(windowUs)) - nowUs;
      if (beganUs >= startsUs && leftUs > 0) {
        return { used, leftUs: used > 0 ? leftUs : 0, sinceUs: beganUs };
      }
    }
    return { used: 0, leftUs: 0, sinceUs: nowUs };
  }

  return {
    find,
    set,

    forget(key) {
      const slot = table?.find(key);
      if (slot) table!.remove(slot);
    },
  };
}
