import type { CompiledPolicy } from "../policy/compile.ts";
import { createClockCache, type ClockCache } from "../runtime/clock-cache.ts";
import type { Reply } from "../store/store.ts";

/** The used quota of each partition in Redis's last answer to this isolate, for one group of policies under all plans. */
export interface LastAnswers {
  /**
   * Notes an answer. Both times are of the isolate's steady clock, in milliseconds.
   */
  note(partition: string, answer: StoreAnswer, sentAtMs: number, nowMs: number): void;
  /** The last answer noted; `undefined` if there is none. */
  find(partition: string): LastAnswer | undefined;
  /** Drops the last answer, and ignores answers to requests sent before now. */
  forget(partition: string, nowMs: number): void;
}

/** An answer of the store, and the policies that it is about, with the numbers of a plan. */
export interface StoreAnswer extends Pick<Reply, "nowUs" | "rows"> {
  readonly policies: readonly Pick<CompiledPolicy, "limit">[];
}

export interface LastAnswer {
  /** The arrival of the answer, by the clock of local counts. */
  readonly atUs: number;
  /** Units used, for each of the policies: the same under any plan. */
  readonly used: readonly number[];
  /** Whether it is read for the first time. */
  readonly fresh: boolean;
}

/** Roughly as many identities as return during an isolate's life; one beyond them counts from zero. */
const MAX_ENTRIES = 10_000;

/** The columns before the units used: Redis's clock, the arrival by both local clocks, and the answer's state. */
const HEAD = 4;
const FRESH = 0;
const FOUND = 1;
const FORGOTTEN = 2;

/**
 * @param kept indices of the rows to keep of an answer
 * @param clock that counts locally, in microseconds
 */
export function createLastAnswers(kept: readonly number[], clock: () => number): LastAnswers {
  // Created with the first answer, because Workers have no random numbers while a module loads.
  let table: ClockCache | undefined;
  const columns = HEAD + kept.length;
  /** Reused for every answer, so that a request allocates nothing. */
  const answer = new Float64Array(columns);

  /** Whether a newer answer has already arrived: answers may arrive out of order. */
  function isOvertaken(partition: string, sentAtMs: number): boolean {
    const slot = table?.find(partition);
    if (!slot) return false;
    const { numbers } = table!;
    const at = slot * columns;
    if (sentAtMs > numbers[at + 1]!) return false;
    const [redisNowUs, used] = [numbers[at]!, numbers[at + HEAD]!];
    return answer[0]! < redisNowUs || (answer[0] === redisNowUs && answer[HEAD]! < used);
  }

  function put(partition: string, nowMs: number, state: number): void {
    answer[1] = nowMs;
    answer[2] = clock();
    answer[3] = state;
    table ??= createClockCache(MAX_ENTRIES, columns, partition.length);
    table.set(partition, answer);
  }

  return {
    note(partition, { nowUs, rows, policies }, sentAtMs, nowMs) {
      if (kept.length === 0) return;
      answer[0] = nowUs;
      kept.forEach((row, i) => {
        answer[HEAD + i] = policies[row]!.limit - rows[row]!.remaining;
      });
      if (isOvertaken(partition, sentAtMs)) return;
      put(partition, nowMs, FRESH);
    },

    find(partition) {
      const slot = table?.find(partition);
      if (!slot) return undefined;
      const { numbers } = table!;
      const at = slot * columns;
      if (numbers[at + 3] === FORGOTTEN) return undefined;
      const fresh = numbers[at + 3] === FRESH;
      numbers[at + 3] = FOUND;
      const used = [...numbers.subarray(at + HEAD, at + columns)];
      return { atUs: numbers[at + 2]!, used, fresh };
    },

    forget(partition, nowMs) {
      if (kept.length === 0) return;
      // Newer than any earlier answer.
      answer[0] = Infinity;
      put(partition, nowMs, FORGOTTEN);
    },
  };
}
