import type { Row } from "../algorithms/model.ts";
import type { PolicyGroup } from "../decide/groups.ts";
import type { PartitionRequest, GroupVerdict } from "../decide/step.ts";
import type { WaitingRoom } from "../runtime/waiting-room.ts";

/** The units that an isolate owes the store for one partition, and the store's last answer. All requests share it. */
export interface Partition {
  /** Admitted units of each policy that have no answer yet. */
  readonly open: number[];
  /** The open units that no call has sent yet, by the policies under which they were admitted. */
  readonly waiting: Map<PolicyGroup, WaitingUnits>;
  /** The number of calls that settle it. */
  underWay: number;
  /** The time of the last admission, by the isolate's clock. */
  admittedAtMs: number;
  /** The numbers of the last answer; `undefined` if there is none. */
  known: LastNumbers | undefined;
  /** Whether the store has to decide next, because an answer is missing. */
  isUnsure: boolean;
  /**
   * The position in the order of events of the last answer without enough room. Answers to earlier calls do not prove
   * room.
   */
  since: number;
  /** Requests with waiting units; set from the first of them on. */
  room: WaitingRoom | undefined;
}

/** Units that wait for a call. Under a smaller plan, a charge of them could be cut off. */
export interface WaitingUnits {
  readonly asked: PartitionRequest;
  /** One number per policy. */
  readonly costs: number[];
}

export interface LastNumbers {
  /** Under another plan, the same units are another share. */
  readonly group: PolicyGroup;
  readonly rows: readonly Row[];
  readonly nowUs: number;
  readonly atMs: number;
}

/**
 * The partitions of one group of policies under all plans. An isolate admits units of a partition only while the last
 * answer promises room, or before the first answer, and never more than `unsettled` without an answer.
 */
export interface OptimisticPartitions {
  find(partition: string): Partition | undefined;
  /** Whether a request may be admitted now. */
  admits(asked: PartitionRequest, nowMs: number): boolean;
  /** Opens the units of a request: they are admitted and owed to the store. */
  open(asked: PartitionRequest, nowMs: number): Partition;
  /** Notes the answer to a call that was sent at this position in the order of events. */
  note(verdict: GroupVerdict, sentAt: number): void;
  /** Notes that an answer is missing: the next request asks the store. */
  doubt(partition: string): void;
  /** Drops the last answer. Open units still count, like those of a request in flight. */
  forget(partition: string): void;
}

/** The default number of denials that an isolate remembers. */
const MAX_PARTITIONS = 10_000;

/**
 * Longer than any call takes, and longer than Workers keep a request after its response: units that are still open then
 * were lost with their request.
 */
const LOST_MS = 60_000;

/**
 * @param tick the next position in the order of events. A clock cannot give it, because on Workers clocks stand still
 * between I/O
 * @param maxEntries beyond it, the least recently used partition is forgotten
 */
export function createOptimisticPartitions(
  policyCount: number,
  tick: () => number,
  maxEntries = MAX_PARTITIONS,
): OptimisticPartitions {
  const entries = new Map<string, Partition>();
  /** Until then, an unknown partition may be one that was forgotten when it had no room. */
  let cautiousUntilMs = -Infinity;

  function put(partition: string, nowMs: number): Partition {
    const found = entries.get(partition);
    if (found) entries.delete(partition);
    const entry = found && !isLost(found, nowMs) ? found : createEntry(policyCount, found);
    // Two per call, so that entries beyond the bound go as soon as their units have an answer.
    for (let i = 0; i < 2 && entries.size >= maxEntries; i++) dropOldest(nowMs);
    entries.set(partition, entry);
    return entry;
  }

  function dropOldest(nowMs: number): void {
    const [name, oldest] = entries.entries().next().value!;
    entries.delete(name);
    // Dropping it would admit its units once more.
    if (hasOpen(oldest) && !isLost(oldest, nowMs)) entries.set(name, oldest);
    else if (!hasRoom(oldest)) {
      cautiousUntilMs = Math.max(cautiousUntilMs, fullAtMs(oldest));
    }
  }

  return {
    find: (partition) => entries.get(partition),

    admits({ group: { policies }, partition, costs, wasDenied, group }, nowMs) {
      if (wasDenied) return false;
      const entry = entries.get(partition);
      if (!entry && nowMs < cautiousUntilMs) return false;
      if (entry?.isUnsure || (entry && isLost(entry, nowMs))) return false;
      if (entry?.known && entry.known.group !== group) return false;
      let takes = false;
      for (let i = 0; i < policies.length; i++) {
        const { limit, optimistic } = policies[i]!;
        const { unsettled, above } = optimistic!;
        const open = entry?.open[i] ?? 0;
        if (open + costs[i]! > unsettled) return false;
        if ((entry?.known?.rows[i]!.remaining ?? limit) - open <= above * limit) return false;
        takes ||= costs[i]! > 0;
      }
      return takes;
    },

    open({ partition, costs }, nowMs) {
      const entry = put(partition, nowMs);
      costs.forEach((units, i) => (entry.open[i]! += units));
      entry.admittedAtMs = nowMs;
      return entry;
    },

    note({ asked: { group, partition }, rows, at }, sentAt) {
      const { nowUs, receivedAtMs: atMs } = at;
      const entry = put(partition, atMs);
      const known = { group, rows, nowUs, atMs };
      const isLow = !hasRoom({ known, isUnsure: false });
      if (!isLow && sentAt < entry.since) return;
      entry.known = known;
      entry.isUnsure = false;
      if (isLow) entry.since = tick();
    },

    doubt(partition) {
      const entry = entries.get(partition);
      if (!entry) return;
      entry.isUnsure = true;
      entry.since = tick();
    },

    forget(partition) {
      const entry = entries.get(partition);
      if (!entry) return;
      entry.known = undefined;
      entry.isUnsure = false;
      entry.since = tick();
    },
  };
}

/** @param lost the partition's state before its units were lost */
function createEntry(policyCount: number, lost: Partition | undefined): Partition {
  return {
    open: Array<number>(policyCount).fill(0),
    waiting: new Map(),
    underWay: 0,
    admittedAtMs: 0,
    known: lost?.known,
    isUnsure: lost !== undefined,
    since: lost?.since ?? 0,
    room: undefined,
  };
}

function hasOpen({ open }: Partition): boolean {
  return open.some((units) => units > 0);
}

function isLost(entry: Partition, nowMs: number): boolean {
  return nowMs - entry.admittedAtMs > LOST_MS && hasOpen(entry);
}

/** Whether the last answer left enough of each policy to decide without the store. */
function hasRoom({ known, isUnsure }: Pick<Partition, "known" | "isUnsure">): boolean {
  if (isUnsure) return false;
  return (
    known === undefined ||
    known.rows.every(({ remaining }, i) => {
      const { limit, optimistic } = known.group.policies[i]!;
      return remaining > optimistic!.above * limit;
    })
  );
}

/** The time at which the whole limit is available again, unless other clients take units. */
function fullAtMs({ known, admittedAtMs }: Partition): number {
  if (!known) return admittedAtMs + LOST_MS;
  return known.atMs + Math.max(...known.rows.map(({ resetAfterUs }) => resetAfterUs)) / 1000;
}
