import type { CompiledPolicy } from "../policy/compile.ts";
import { createClockCache, type ClockCache } from "../runtime/clock-cache.ts";
import type { Reply } from "../store/store.ts";
import type { UsedUnits } from "./local-units.ts";

/** The used quota of each partition in Redis's last answer to this isolate, for one group of policies under all plans. */
export interface LastAnswers {
  /**
   * Notes an answer. Both times are of the isolate's steady clock, in milliseconds.
   */
  note(partition: string, answer: StoreAnswer, sentAtMs: number, nowMs: number): void;
  /**
   * The units that the last answer says are used, for each of the kept policies: the same under any plan. They count until
   * the moment at which the answer says that the whole limit is there again. `undefined` if there is no answer.
   *
   * @param nowUs by the clock that counts locally
   */
  find(partition: string, nowUs: number): readonly UsedUnits[] | undefined;
  /** Drops the last answer, and ignores answers to requests sent before now. */
  forget(partition: string, nowMs: number): void;
}

/** An answer of the store, and the policies that it is about, with the numbers of a plan. */
export interface StoreAnswer extends Pick<Reply, "nowUs" | "rows"> {
  readonly policies: readonly Pick<CompiledPolicy, "limit">[];
}

/** Roughly as many identities as return during an isolate's life; one beyond them counts from zero. */
const MAX_ENTRIES = 10_000;

/**
 * The columns before two for each policy: Redis's clock, which is infinite after a reset, and the arrival by both local clocks.
 */
const HEAD = 3;

const NONE: UsedUnits = { used: 0, leftUs: 0 };

/**
 * @param kept indices of the rows to keep of an answer
 * @param clock that counts locally, in microseconds
 */
export function createLastAnswers(kept: readonly number[], clock: () => number): LastAnswers {
  // Created with the first answer, because Workers have no random numbers while a module loads.
  let table: ClockCache | undefined;
  const columns = HEAD + 2 * kept.length;
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

  function put(partition: string, nowMs: number): void {
    answer[1] = nowMs;
    answer[2] = clock();
    table ??= createClockCache(MAX_ENTRIES, columns, partition.length);
    table.set(partition, answer);
  }

  return {
    note(partition, { nowUs, rows, policies }, sentAtMs, nowMs) {
      if (kept.length === 0) return;
      answer[0] = nowUs;
      kept.forEach((row, i) => {
        answer[HEAD + 2 * i] = policies[row]!.limit - rows[row]!.remaining;
        answer[HEAD + 2 * i + 1] = rows[row]!.resetAfterUs;
      });
      if (isOvertaken(partition, sentAtMs)) return;
      put(partition, nowMs);
    },

    find(partition, nowUs) {
      const slot = table?.find(partition);
      if (!slot) return undefined;
      const { numbers } = table!;
      const at = slot * columns;
      if (numbers[at] === Infinity) return undefined;
      // After a step back of the clock, it is an answer of this moment.
      if (numbers[at + 2]! > nowUs) numbers[at + 2] = nowUs;
      return kept.map((_, i) => {
        const [used, resetAfterUs] = numbers.subarray(at + HEAD + 2 * i) as unknown as [
          number,
          number,
        ];
        const leftUs = numbers[at + 2]! + resetAfterUs - nowUs;
        return used > 0 && leftUs > 0 ? { used, leftUs } : NONE;
      });
    },

    forget(partition, nowMs) {
      if (kept.length === 0) return;
      // Newer than any earlier answer.
      answer[0] = Infinity;
      put(partition, nowMs);
    },
  };
}
