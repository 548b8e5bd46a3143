import type { Row, Slot } from "../algorithms/model.ts";
import type { StoreError } from "../options/errors.ts";
import type { OwnNumbers } from "../policy/own-numbers.ts";
import type { PolicyGroup } from "./groups.ts";
import type { Reason } from "./outcome.ts";

/** One request of a limiter: an entry for each group of policies that counts it. */
export interface CountRequest {
  readonly operation: "consume" | "peek" | "charge" | "reset";
  readonly groups: readonly PartitionRequest[];
  /** The client's plan, or its own numbers, for the step that substitutes the groups of plans. */
  readonly plan?: string | OwnNumbers | undefined;
  /** Only for holds: the slot to take of concurrency policies. */
  readonly slot?: Slot | undefined;
  /** Only for charges: set if it counts a request that was admitted ahead of the store. */
  readonly isSettlement?: boolean;
  /** The policies in shadow, which see what the store is asked, and decide nothing. Their step took them out of `groups`. */
  readonly beside?: Beside | undefined;
  /** Set if a known denial may not answer, because the store has to count this request. */
  readonly mustReachStore?: boolean;
}

/** The policies in shadow of one request, their verdicts, and which of them are counted already. */
export interface Beside {
  readonly groups: readonly PartitionRequest[];
  /** Whether the request may take units. */
  readonly takes: boolean;
  /** The verdicts of the store, or of this isolate's memory in its place. */
  readonly verdicts: Map<PartitionRequest, GroupVerdict>;
  /** The groups whose units a call took along: they are counted, or may be. */
  readonly sent: Set<PartitionRequest>;
  /** The groups without an answer, for this isolate's memory to count if the request has none either. */
  readonly unanswered: Unanswered[];
  /** Whether a call left a group out, because it lies on another master. */
  isLeftOut: boolean;
}

export interface PartitionRequest {
  readonly group: PolicyGroup;
  /** The partition key. */
  readonly partition: string;
  /** Units, one per policy of the group. */
  readonly costs: readonly number[];
  /** Set if a known denial of this partition has just expired after it denied a request. */
  readonly wasDenied?: boolean;
  /** Only for shards: the group before the shard was chosen. */
  readonly unsharded?: PartitionRequest;
  /** Set if this isolate's memory has counted the charge already, and only the store has not. */
  readonly isCountedInMemory?: boolean;
}

/** The verdict about one group, and its counter: a hold gives units back to it. */
export interface GroupVerdict {
  readonly asked: PartitionRequest;
  /** One per policy of the group; for a known denial, only the policies that may deny, which come first. */
  readonly rows: readonly Row[];
  /** The counter: the store, this isolate's lease, this isolate's memory in an outage, or none. */
  readonly countedBy: "store" | "lease" | "memory" | "none";
  /** Set if the store answered this request with a lease. */
  readonly isRenewed?: boolean;
  /** Set if a regional store denied, by an earlier answer of its home. */
  readonly isFromRegion?: true | undefined;
  /** Only for policies in shadow that a call counts later: has it count these units, one number per policy. */
  readonly settle?: (costs: readonly number[]) => void;
  readonly at: Moment;
  /** Why the store did not count it, if it was asked. */
  readonly error?: StoreError | undefined;
}

/** The time of a verdict, by the counter's clock and by this isolate's steady clock. */
export interface Moment {
  /** Microseconds since 1970. */
  readonly nowUs: number;
  /** Times of the call to the store and of its answer, in milliseconds. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  /** Set if `nowUs` is carried forward from an earlier answer. */
  readonly estimated?: boolean | undefined;
}

export interface Verdict {
  readonly reason: Reason;
  readonly status: 200 | 429 | 503;
  /** The counter's clock, in microseconds since 1970. */
  readonly nowUs: number;
  /** In the order of the request. A denial by the isolate alone has only the group that denies. */
  readonly groups: readonly GroupVerdict[];
  /** Only for charges on shards: every shard that shared the cost. */
  readonly spread?: readonly GroupVerdict[];
  /** Set if concurrency policies gave another slot than the request's. */
  readonly slot?: Slot | undefined;
  readonly error?: StoreError | undefined;
}

/** Decides even if the store fails. Synchronous if no step has to wait. */
export type Decide = (asked: CountRequest) => Verdict | Promise<Verdict>;

/** The answer of the store, or of a step in front of it. */
export interface Answer {
  readonly groups: readonly GroupVerdict[];
  /** The groups without an answer. */
  readonly unanswered?: readonly Unanswered[];
  /** Why these groups have no answer. */
  readonly error?: StoreError | undefined;
  /** If groups are missing: gives back the units that other groups took, and resolves with their updated verdicts. */
  readonly giveBack?: () => Promise<readonly GroupVerdict[]>;
}

/** A group without an answer of the store. */
export interface Unanswered {
  readonly asked: PartitionRequest;
  readonly error: StoreError;
  /** The costs that this isolate's memory counts in place of the store. */
  readonly costs: readonly number[];
}

/** Asks the store, and may leave groups unanswered. Rejects with a StoreError only for a reset. */
export type AskStore = (asked: CountRequest) => Promise<Answer>;

/** A step of the path: it answers itself, or passes the request on and inspects the result. */
export type Step<Way> = (next: Way) => Way;

/** Stacks steps in the order in which a request passes them. An absent feature adds no step. */
export function stack<Way>(...steps: [...(Step<Way> | undefined)[], Way]): Way {
  // The last one ends the path, so the reduction begins with it.
  return (steps as (Step<Way> | Way | undefined)[]).reduceRight((next, step) =>
    step ? (step as Step<Way>)(next as Way) : next,
  ) as Way;
}

/** Inspects a verdict as soon as it exists: at once if it is synchronous. */
export function after(
  verdict: Verdict | Promise<Verdict>,
  look: (verdict: Verdict) => Verdict | Promise<Verdict>,
): Verdict | Promise<Verdict> {
  return verdict instanceof Promise ? verdict.then(look) : look(verdict);
}

/** The moment of a verdict that no clock dates. */
export const NO_MOMENT: Moment = { nowUs: 0, sentAtMs: 0, receivedAtMs: 0 };

export function askedIn(verdicts: readonly GroupVerdict[]): readonly PartitionRequest[] {
  return verdicts.map(({ asked }) => asked);
}
