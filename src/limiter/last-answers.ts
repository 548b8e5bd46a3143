import { createClockCache, type ClockCache } from "../denials/clock-cache.ts";
import type { Reply } from "../store/store.ts";

/** What Redis last said is left of each partition's quota, as far as this isolate was answered. */
export interface LastAnswers {
  /** Notes an answer to a request that was sent at a moment, which is now. Milliseconds of the isolate's clock. */
  note(partition: string, reply: Reply, sentAt: number, now: number): void;
  /** What was said last, until something is noted; `undefined` if nothing is known. */
  find(partition: string): LastAnswer | undefined;
  /** Drops what is known of it, and what answers to requests sent before now will say. */
  forget(partition: string, now: number): void;
}

export interface LastAnswer {
  /** When it came, by the clock that counts locally, in microseconds. */
  readonly at: number;
  /** Units left, of each policy that is looked at. */
  readonly remaining: readonly number[];
  /** Whether nobody has found it before. */
  readonly fresh: boolean;
}

/** As many as identities that come again while an isolate lives; one that is forgotten counts from nothing. */
const MAX_ENTRIES = 10_000;

/** Before the units left stand what Redis's clock showed, when it came by both clocks, and what has become of it. */
const HEAD = 4;
const FRESH = 0;
const FOUND = 1;
const FORGOTTEN = 2;

/**
 * @param policies which rows of an answer are looked at
 * @param clock that counts locally, in microseconds
 */
export function createLastAnswers(policies: readonly number[], clock: () => number): LastAnswers {
  // Made with the first answer: the random numbers that it needs must not be drawn while a module is loaded.
  let table: ClockCache | undefined;
  const columns = HEAD + policies.length;
  /** Filled anew with each answer, so that a request leaves no garbage. */
  const answer = new Float64Array(columns);

  /** Answers may overtake one another: then it is not the last to come that says what is left. */
  function isOvertaken(partition: string, sentAt: number): boolean {
    const slot = table?.find(partition);
    if (!slot) return false;
    const { numbers } = table!;
    const at = slot * columns;
    if (sentAt > numbers[at + 1]!) return false;
    const [shown, left] = [numbers[at]!, numbers[at + HEAD]!];
    return answer[0]! < shown || (answer[0] === shown && answer[HEAD]! > left);
  }

  function put(partition: string, now: number, state: number): void {
    answer[1] = now;
    answer[2] = clock();
    answer[3] = state;
    table ??= createClockCache(MAX_ENTRIES, columns, partition.length);
    table.set(partition, answer);
  }

  return {
    note(partition, { nowUs, rows }, sentAt, now) {
      answer[0] = nowUs;
      for (let i = 0; i < policies.length; i++) answer[HEAD + i] = rows[policies[i]!]!.remaining;
      if (isOvertaken(partition, sentAt)) return;
      put(partition, now, FRESH);
    },

    find(partition) {
      const slot = table?.find(partition);
      if (!slot) return undefined;
      const { numbers } = table!;
      const at = slot * columns;
      if (numbers[at + 3] === FORGOTTEN) return undefined;
      const fresh = numbers[at + 3] === FRESH;
      numbers[at + 3] = FOUND;
      const remaining = [...numbers.subarray(at + HEAD, at + columns)];
      return { at: numbers[at + 2]!, remaining, fresh };
    },

    forget(partition, now) {
      // Newer than any answer of before.
      answer[0] = Infinity;
      put(partition, now, FORGOTTEN);
    },
  };
}
