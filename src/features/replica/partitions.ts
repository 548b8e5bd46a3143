import { type ClockCache, createClockCache } from "../../denials/clock-cache.ts";
import { setRecent } from "../../runtime/lru.ts";

/** The partitions of one group of policies for which the replica is not asked. */
export interface ReplicaPartitions {
  /** Whether the replica may save a trip to the primary. */
  isUnknown(partition: string, nowMs: number): boolean;
  /** Notes whether the primary had room. */
  note(partition: string, hasRoom: boolean, nowMs: number): void;
  /** Notes a reset, which the replica may not know yet. */
  forget(partition: string, nowMs: number): void;
}

/** How long a partition that had room is taken for one that has room: its requests do not wait for the replica. */
const ROOM_MS = 60_000;

/** A replica whose link to its primary works is not this late. */
const LAG_MS = 60_000;

/** Resets are rare. */
const MAX_RESETS = 1_000;

/** @param maxEntries the most partitions with room that are remembered; beyond it, one that was not used lately goes */
export function createReplicaPartitions(maxEntries: number): ReplicaPartitions {
  // Created with the first answer: Workers have no random numbers while a module is loaded.
  let roomy: ClockCache | undefined;
  const resets = new Map<string, number>();
  /** Until then, any partition may have been reset. */
  let cautiousUntilMs = -Infinity;

  return {
    isUnknown(partition, nowMs) {
      if (nowMs < cautiousUntilMs || nowMs < (resets.get(partition) ?? -Infinity)) return false;
      const slot = roomy?.find(partition);
      return !slot || nowMs - roomy!.numbers[slot]! >= ROOM_MS;
    },

    note(partition, hasRoom, nowMs) {
      if (hasRoom) {
        roomy ??= createClockCache(maxEntries, 1, partition.length);
        roomy.set(partition, [nowMs]);
        return;
      }
      const slot = roomy?.find(partition);
      if (slot) roomy!.remove(slot);
    },

    forget(partition, nowMs) {
      const [oldest] = resets.values();
      // The one that is forgotten may still be late at the replica.
      if (resets.size === MAX_RESETS && !resets.has(partition)) cautiousUntilMs = oldest!;
      setRecent(resets, partition, nowMs + LAG_MS, MAX_RESETS);
    },
  };
}
