import type { Row, Slot } from "../algorithms/model.ts";
import type { Reason } from "../decision/outcome.ts";
import type { StoreError } from "../errors/errors.ts";
import type { PolicyGroup } from "./groups.ts";

/** One request of a limiter: an entry for each group of policies that counts it. */
export interface Asked {
  readonly operation: "consume" | "peek" | "charge" | "reset";
  readonly groups: readonly AskedGroup[];
  /** The plan of the client, for the step that puts the groups of plans in place. */
  readonly plan?: string | undefined;
  /** Of a hold: what it takes of concurrency policies. */
  readonly slot?: Slot | undefined;
  /** Of a charge: set if it counts a request that was admitted ahead of the store. */
  readonly isSettlement?: boolean;
  /** Set if a known denial is no answer, because the store has to count this one. */
  readonly mustReachStore?: boolean;
}

export interface AskedGroup {
  readonly group: PolicyGroup;
  /** The partition key. */
  readonly partition: string;
  /** Units, one per policy of the group. */
  readonly costs: readonly number[];
  /** Set if a denial of it was known until a moment ago, and has denied a request. */
  readonly wasDenied?: boolean;
  /** Of a shard: the group as it was before the shard was chosen. */
  readonly whole?: AskedGroup;
  /** Set if this isolate's memory has counted a charge already, and only the store is missing. */
  readonly isCountedHere?: boolean;
}

/** The verdict about one group, and who counted the request there: a hold gives back by it. */
export interface GroupVerdict {
  readonly asked: AskedGroup;
  /** One per policy of the group; of a known denial only those that may deny, which come first. */
  readonly rows: readonly Row[];
  /** The store, units that this isolate holds, this isolate's memory in an outage; or nobody. */
  readonly by: "store" | "lease" | "here" | "nobody";
  /** Set if the store has answered this request with a lease. */
  readonly isRenewed?: boolean;
  readonly at: Moment;
  /** Why the store did not count it, where it was asked. */
  readonly error?: StoreError | undefined;
}

/** When a verdict was given: by the clock of whoever counted, and by this isolate's steady clock. */
export interface Moment {
  /** Microseconds since 1970. */
  readonly nowUs: number;
  /** When the store was asked, and when its answer arrived, in milliseconds. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  /** Set if `nowUs` is carried forward from an earlier answer. */
  readonly estimated?: boolean | undefined;
}

export interface Verdict {
  readonly reason: Reason;
  readonly status: 200 | 429 | 503;
  /** The clock of whoever decided, in microseconds since 1970. */
  readonly nowUs: number;
  /** In the order asked. A denial by what the isolate knows or holds has only the group that denies. */
  readonly groups: readonly GroupVerdict[];
  /** Of a charge on shards: every shard that it was spread over. */
  readonly spread?: readonly GroupVerdict[];
  readonly error?: StoreError | undefined;
}

/** Decides, whatever happens to the store. Synchronous where nothing has to be waited for. */
export type Decide = (asked: Asked) => Verdict | Promise<Verdict>;

/** What the store says, or what stands in front of it. */
export interface Answer {
  readonly groups: readonly GroupVerdict[];
  /** The groups without an answer. */
  readonly unanswered?: readonly Unanswered[];
  /** Why there are such groups. */
  readonly error?: StoreError | undefined;
  /** Where groups are missing: gives back what the others took, and resolves with them as they are then. */
  readonly giveBack?: () => Promise<readonly GroupVerdict[]>;
}

/** A group about which the store gave no answer. */
export interface Unanswered {
  readonly asked: AskedGroup;
  readonly error: StoreError;
  /** What this isolate's memory is to count in place of the store. */
  readonly costs: readonly number[];
}

/** Asks, and may leave groups without an answer. Rejects only with what is no StoreError, but for a reset. */
export type Ask = (asked: Asked) => Promise<Answer>;

/** A step of the way: it answers itself, or passes the request on and looks at what comes back. */
export type Step<Way> = (next: Way) => Way;

/** Puts steps on each other, in the order in which a request meets them. A feature that is absent is no step. */
export function stack<Way>(...steps: [...(Step<Way> | undefined)[], Way]): Way {
  // The last of them is the end of the way, with which this begins.
  return (steps as (Step<Way> | Way | undefined)[]).reduceRight((next, step) =>
    step ? (step as Step<Way>)(next as Way) : next,
  ) as Way;
}

/** Looks at a verdict as soon as it is there, without waiting where it is there already. */
export function after(
  verdict: Verdict | Promise<Verdict>,
  look: (verdict: Verdict) => Verdict | Promise<Verdict>,
): Verdict | Promise<Verdict> {
  return verdict instanceof Promise ? verdict.then(look) : look(verdict);
}

/** Of a verdict that was given without anybody's clock. */
export const NO_MOMENT: Moment = { nowUs: 0, sentAtMs: 0, receivedAtMs: 0 };

export function askedIn(verdicts: readonly GroupVerdict[]): readonly AskedGroup[] {
  return verdicts.map(({ asked }) => asked);
}

/** Whether a policy of the group denies. Those that only advise come last. */
export function deniesIn({ asked: { group }, rows }: GroupVerdict): boolean {
  const { length } = group.denying;
  for (let i = 0; i < length; i++) if (!rows[i]!.allowed) return true;
  return false;
}
