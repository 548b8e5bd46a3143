import type { Row } from "../../algorithms/model.ts";
import { projected } from "../../decide/projected.ts";
import type { PartitionRequest, GroupVerdict } from "../../decide/step.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { setRecent } from "../../runtime/lru.ts";

/**
 * Units of one partition that policies in shadow have not counted: those of requests that were admitted without the store.
 * Plain data, because requests share it.
 */
export interface OwedUnits {
  /** For each policy, the admitted units that no answer of the store includes. */
  readonly open: number[];
  /** Those of them that no call has taken along. */
  readonly due: number[];
  /** The time of the latest admission, in milliseconds of the steady clock. */
  owedAtMs: number;
  /** The store's last answer. */
  last: Pick<GroupVerdict, "rows" | "at"> | undefined;
}

/** Due units on their way. */
export interface Batch {
  /** Units that may have room, one number per policy. */
  readonly costs: readonly number[];
  /** Notes that the call is over, whether it was answered or lost: no second call may take the units. */
  end(): void;
  /** Makes the units due again, because the store was not asked. */
  putBack(): void;
}

/** The most partitions of a group whose units are owed: as many as an isolate remembers denials of, by default. */
const MAX_PARTITIONS = 10_000;

/** The owed units of one group of policies in shadow, by partition. */
export interface Owed {
  of(partition: string, nowMs: number): OwedUnits;
  forget(partition: string): void;
}

export function createOwed(policies: readonly CompiledPolicy[]): Owed {
  const all = new Map<string, OwedUnits>();
  const zeros = () => policies.map(() => 0);

  return {
    of(partition, nowMs) {
      const owed = all.get(partition) ?? {
        open: zeros(),
        due: zeros(),
        owedAtMs: 0,
        last: undefined,
      };
      setRecent(all, partition, owed, MAX_PARTITIONS);
      policies.forEach(({ windowUs }, i) => {
        // An older unit no longer counts.
        if (nowMs - owed.owedAtMs < windowUs / 1000) return;
        owed.open[i]! -= owed.due[i]!;
        owed.due[i] = 0;
      });
      return owed;
    },
    forget: (partition) => void all.delete(partition),
  };
}

/** Has the next call take these units along. */
export function owe(owed: OwedUnits, costs: readonly number[], nowMs: number): void {
  costs.forEach((units, i) => {
    owed.open[i]! += units;
    owed.due[i]! += units;
  });
  owed.owedAtMs = nowMs;
}

export function isDue({ due }: OwedUnits): boolean {
  return due.some((units) => units > 0);
}

/** Takes all due units for a call. */
export function takeDue({ open, due }: OwedUnits, policies: readonly CompiledPolicy[]): Batch {
  const units = due.splice(0, due.length, ...policies.map(() => 0));
  return {
    costs: units.map((each, i) => Math.min(each, policies[i]!.limit)),
    end: () => units.forEach((each, i) => (open[i]! -= each)),
    putBack: () => units.forEach((each, i) => (due[i]! += each)),
  };
}

/** Notes an answer of the store, unless a later call was answered before. */
export function noteAnswer(owed: OwedUnits, { rows, at }: GroupVerdict): void {
  if (owed.last && at.sentAtMs < owed.last.at.sentAtMs) return;
  owed.last = { rows, at };
}

/**
 * The verdict by the store's last answer and the open units, for a request that the store does not see. Units that have come
 * back since are not counted: other isolates see them, too, and each would take them.
 */
export function estimate(
  asked: PartitionRequest,
  { open, last }: OwedUnits,
  takes: boolean,
  nowMs: number,
  clockUs: number,
): GroupVerdict {
  const elapsedUs = last ? Math.round((nowMs - last.at.receivedAtMs) * 1000) : 0;
  const nowUs = last ? last.at.nowUs + elapsedUs : clockUs;
  const rows = asked.group.policies.map((policy, i): Row => {
    const cost = asked.costs[i]!;
    const row = last?.rows[i];
    const after = (units: number) => projected(policy, row, open[i]! + units, elapsedUs, nowUs);
    const before = after(0);
    const allowed = cost <= Math.max(0, before.remaining);
    const { remaining, resetAfterUs } = allowed && takes ? after(cost) : before;
    // A bound that suffices: by then the whole limit is there.
    const waitUs = cost > policy.limit ? Infinity : Math.max(1, resetAfterUs);
    return {
      allowed,
      remaining: Math.max(0, remaining),
      retryAfterUs: allowed ? 0 : waitUs,
      resetAfterUs,
    };
  });
  const at = { nowUs: last ? nowUs : 0, sentAtMs: nowMs, receivedAtMs: nowMs, estimated: true };
  return { asked, rows, countedBy: "none", at };
}
