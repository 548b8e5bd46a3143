import { setRecent } from "../../runtime/lru.ts";

/**
 * The units that this isolate has denied by itself since it last asked the region, by key. A region plans by the demand, and
 * would take an abused key for a quiet one.
 */
export interface DeniedHere {
  note(key: string, cost: number): void;
  /**
   * Returns the noted units and forgets them. Of a time longer than a term it returns the average of one term, because the region
   * counts them as demand of now.
   */
  take(key: string, termUs: number): number;
}

/** Few partitions are denied over and over; a forgotten one is planned for as if it were quieter. */
const MAX_KEYS = 1_000;

/** @param now the isolate's monotonic clock, in milliseconds */
export function createDeniedHere(now: () => number): DeniedHere {
  const notes = new Map<string, { units: number; readonly sinceMs: number }>();
  return {
    note(key, cost) {
      const noted = notes.get(key) ?? { units: 0, sinceMs: now() };
      noted.units += cost;
      setRecent(notes, key, noted, MAX_KEYS);
    },

    take(key, termUs) {
      const noted = notes.get(key);
      if (!noted) return 0;
      notes.delete(key);
      const terms = ((now() - noted.sinceMs) * 1000) / termUs;
      return Math.ceil(noted.units / Math.max(1, terms));
    },
  };
}
