import type { Decision, PolicyDecision } from "../decide/decision.ts";

/** A policy that a notice is about, as it was in the decision. */
export interface NoticedPolicy extends PolicyDecision {
  /** `"reached"` where a partition has used a share of the limit, `"denied"` where its requests begin to be denied. */
  readonly kind: "reached" | "denied";
  /** The share of `notify` that was reached; `undefined` for a denial. */
  readonly share: number | undefined;
  /** The partition as the key in Redis has it: a long identity is a digest. */
  readonly partition: string;
  /** Units used, up to the limit. With `shards` it is an estimate from the shard that was asked. */
  readonly consumed: number;
  /** When the whole limit is available again, by the clock of Redis, in milliseconds since 1970. */
  readonly resetAtMs: number;
  /** Names the notice. A notice that is repeated, because its delivery is unknown, has the same name. */
  readonly id: string;
}

/**
 * Called with a decision and the policy that it is about. A notice counts as told when the function has returned, or when its
 * promise is resolved. If it throws or rejects, the notice is told again a minute later, or with the next window.
 */
export type NoticeListener = (decision: Decision, policy: NoticedPolicy) => unknown;
