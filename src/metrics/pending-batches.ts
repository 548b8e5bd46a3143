import type { MetricsStore } from "../store/metrics-store.ts";
import type { Batch } from "./batch.ts";

/** Batches that the store has not confirmed, in their order. */
export interface PendingBatches {
  add(batch: Batch): void;
  /** Writes them one after the other. Rejects with the first that the store does not take, which is written again the next time. */
  write(): Promise<void>;
  /** Drops those that were not confirmed for an hour, and returns how many requests they count. */
  giveUpOld(): number;
}

/** A batch that is not confirmed for so long is given up: the store remembers for twice as long which ones it has. */
const MAX_AGE_MS = 3_600_000;

/** @param now a steady clock, in milliseconds */
export function createPendingBatches(
  store: Pick<MetricsStore, "add">,
  now: () => number,
): PendingBatches {
  let pending: Batch[] = [];

  return {
    add: (batch) => void pending.push(batch),

    async write() {
      for (let batch = pending[0]; batch; batch = pending[0]) {
        await store.add(batch);
        // Another flush may have sent it, too, and gone on: the store takes it once.
        if (pending[0] === batch) pending.shift();
      }
    },

    giveUpOld() {
      const oldestMs = now() - MAX_AGE_MS;
      let requests = 0;
      for (const batch of pending) if (batch.madeAtMs < oldestMs) requests += batch.requests;
      pending = pending.filter(({ madeAtMs }) => madeAtMs >= oldestMs);
      return requests;
    },
  };
}
