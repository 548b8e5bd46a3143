import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/** Why a decision came out as it did. New reasons may be added. */
export type Reason =
  /** Every policy had room. */
  | "allowed"
  /** The isolate knows no denial, and the store counts the request afterwards: see `optimistic` of the policies. */
  | "optimistic"
  /** A policy has no room: the store answered so. */
  | "limited"
  /**
   * An earlier answer proves that a policy has no room, or cut short a lease that the isolate has spent; the store was not
   * asked.
   */
  | "cached-denial"
  /** A regional store has no units left, and its home had none by an earlier answer; home was not asked. */
  | "region-denial"
  /** The cost is above a policy's limit, so it can never pass. */
  | "cost-exceeds-limit"
  /** A list allows this client: no policy took part, and the store was not asked. */
  | "exempt"
  /** A list denies this client: no policy took part, and the store was not asked. */
  | "blocked"
  /** The store gave no usable answer; each policy's `onFailure` decided. */
  | "store-unavailable";

/** The status of a decision's response, as `Decision.status` explains it. */
export type DecisionStatus = 200 | 403 | 429 | 503;

/** The data of a decision, from which its header fields and its response are made. */
export interface Outcome {
  readonly reason: Reason;
  readonly status: DecisionStatus;
  /** Empty if a list decided. */
  readonly policies: readonly CompiledPolicy[];
  /** The store's clock at the decision, in microseconds since 1970. */
  readonly nowUs: number;
  /** One per policy. */
  readonly rows: readonly Row[];
  /** Answers a client that a list denies. */
  readonly problem?: Problem | undefined;
  /** The policies in shadow, and their rows. */
  readonly shadow?: PolicyRows;
}

/** An RFC 9457 problem. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** Policies, and their rows in a decision. */
export interface PolicyRows {
  readonly policies: readonly CompiledPolicy[];
  readonly rows: readonly Row[];
}

/** Whether a policy denies the request: a soft one never does. */
export function denies({ policies, rows }: PolicyRows, index: number): boolean {
  return !rows[index]!.allowed && policies[index]!.role !== "advisory";
}

/** The first policy that denies: a denial is counted and reported under its name. */
export function firstDenying(outcome: PolicyRows): CompiledPolicy | undefined {
  let i = 0;
  while (i < outcome.rows.length && !denies(outcome, i)) i++;
  return outcome.policies[i];
}

/**
 * The wait that a denied client sees for one of the policies, in microseconds; 0 if it need not wait for it.
 *
 * For slots it is not the time until the first one expires. A ban that this denial has filled denies only later
 * requests.
 */
export function toldWaitUs({ policies, rows }: PolicyRows, index: number): number {
  const { parameters, role } = policies[index]!;
  const { retryAfterUs } = rows[index]!;
  if (role !== "denials" && !denies({ policies, rows }, index)) return 0;
  return Math.min(retryAfterUs, parameters["retryAfterUs"] ?? Infinity);
}
