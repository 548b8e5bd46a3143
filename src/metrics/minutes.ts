import { FIELD } from "./fields.ts";

/** Counts of one minute, by their fields. */
export type Counts = ReadonlyMap<string, number>;

/** Counts by the minutes in which they happened, from 1970. */
export interface Minutes {
  add(minute: number, field: string, count: number): void;
  isEmpty(): boolean;
  /** Returns its counts, and starts afresh. */
  take(): ReadonlyMap<number, Counts>;
}

/**
 * Holds at most `maxFields` fields. When it is full, it merges all minutes into the current one, so that counts are dated late rather
 * than lost, and counts the rest as overflow.
 */
export function createMinutes(maxFields: number): Minutes {
  let minutes = new Map<number, Map<string, number>>();
  let size = 0;

  function putTogether(minute: number): void {
    const all = together(minutes.values());
    minutes = new Map([[minute, all]]);
    ({ size } = all);
  }

  function countsOf(minute: number): Map<string, number> {
    const counts = minutes.get(minute) ?? new Map<string, number>();
    minutes.set(minute, counts);
    return counts;
  }

  return {
    add(minute, field, count) {
      const isFull = size >= maxFields && !minutes.get(minute)?.has(field);
      if (isFull && (minutes.size > 1 || !minutes.has(minute))) putTogether(minute);
      const counts = countsOf(minute);
      const before = counts.size;
      const hasRoom = size < maxFields || counts.has(field);
      const place = hasRoom ? field : FIELD.overflow;
      counts.set(place, (counts.get(place) ?? 0) + (hasRoom ? count : 1));
      size += counts.size - before;
    },

    isEmpty: () => size === 0,

    take() {
      const batch = minutes;
      minutes = new Map();
      size = 0;
      return batch;
    },
  };
}

/** The counts of several minutes as those of one. */
export function together(several: Iterable<Counts>): Map<string, number> {
  const all = new Map<string, number>();
  for (const counts of several) {
    for (const [field, count] of counts) all.set(field, (all.get(field) ?? 0) + count);
  }
  return all;
}
