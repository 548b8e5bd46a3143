import type { Row } from "../algorithms/model.ts";
import { isSameWindow, NOTICE, WITHOUT_END } from "../algorithms/notice.ts";
import type { Decision, PolicyDecision } from "../decide/decision.ts";
import { type CompiledPolicy, completePolicy } from "../policy/compile.ts";
import { oncePerPolicy } from "../policy/once-per-policy.ts";
import { setRecent } from "../runtime/lru.ts";

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

/** How a notice of one kind is told once per window. */
export interface Mark extends Pick<NoticedPolicy, "kind" | "share"> {
  /** The state in the store by which isolates agree who tells it. */
  readonly policy: CompiledPolicy;
  /** The windows about which this isolate need not ask for a while, by partition. */
  readonly silences: Map<string, Silence>;
  /** `undefined` to tell that of all policies. */
  readonly onNotice: NoticeListener | undefined;
}

interface Silence {
  /** The end of the window, as `endOf` has it. */
  readonly endsUs: number;
  /** In milliseconds of this isolate's clock. */
  readonly untilMs: number;
}

/** Everything that is told of one policy of a group. */
export interface Watched {
  readonly policy: CompiledPolicy;
  /** Its place in the group. */
  readonly index: number;
  /** The shares, the highest first, with the units from which each is reached. */
  readonly reached: readonly { readonly units: number; readonly mark: Mark }[];
  /** `undefined` for a policy that does not deny. */
  readonly denied: Mark | undefined;
}

/** As many as the isolate remembers denials of, by default. */
const MAX_PARTITIONS = 10_000;

/** The traits of a policy that only isolates ask. */
const PLAIN = {
  algorithm: "notice",
  implementation: NOTICE,
  advertise: false,
  onFailure: undefined,
  retryJitter: undefined,
  mode: "enforce",
  refundable: false,
  countsFailures: false,
  shards: 1,
  role: "enforced",
} as const;

/** Watches policies. The notices of a shard are those of the whole policy, and all of its shards have the same marks. */
export function watcher(): (policy: CompiledPolicy, index: number) => Watched {
  const marksFor = oncePerPolicy((policy) => ({
    shares: (policy.notify ?? []).map((share) => createMark(policy, "reached", share)),
    denied: policy.role === "advisory" ? undefined : createMark(policy, "denied", undefined),
  }));

  return (policy, index) => {
    const { shares, denied } = marksFor(policy.unsharded ?? policy);
    const reached = shares.map((mark) => ({
      // Against rounding, by which 0.1 of 3 is more than 0.3.
      units: Math.max(1, Math.ceil(mark.share! * policy.limit * (1 - 1e-12))),
      mark,
    }));
    return { policy, index, reached, denied };
  };
}

/**
 * Its key names the policy, its windows and the share, but no limit, so that a reset finds it whatever plans a client has had. The
 * state has the limit: a share of more units is news.
 */
function createMark(policy: CompiledPolicy, kind: Mark["kind"], share: number | undefined): Mark {
  const { key, by, limit, windowUs } = policy;
  const parameters = { windowUs, ofLimit: limit };
  const quota = { limit: NOTICE.maxLimit, windowUs, parameters };
  // No policy is named so.
  const name = `${key}!${share ?? kind}`;
  return {
    kind,
    share,
    policy: completePolicy({ ...PLAIN, name, by }, quota),
    silences: new Map(),
    // Only `notify()` sets it.
    onNotice: policy.onNotice as NoticeListener | undefined,
  };
}

/**
 * The end of the window that a row counts, by the clock of the store in microseconds. It names the window. Sliding windows and buckets
 * have none, and shards whose windows begin with a request have one each.
 */
export function endOf(
  { implementation, parameters, unsharded }: CompiledPolicy,
  { resetAfterUs }: Row,
  nowUs: number,
): number {
  const hasEnd = implementation.lease.endsWithWindow && !(unsharded && parameters["aligned"] === 0);
  return hasEnd && resetAfterUs > 0 ? Math.round(nowUs + resetAfterUs) : WITHOUT_END;
}

/** Whether this isolate may ask now about a window. */
export function mayAsk(mark: Mark, partition: string, endsUs: number, nowMs: number): boolean {
  const silence = mark.silences.get(partition);
  return (
    silence === undefined ||
    nowMs >= silence.untilMs ||
    (endsUs !== WITHOUT_END && !isSameWindow(mark.policy.windowUs, endsUs, silence.endsUs))
  );
}

export function keepSilent({ silences }: Mark, partition: string, silence: Silence): void {
  setRecent(silences, partition, silence, MAX_PARTITIONS);
}

export function marksOf({ reached, denied }: Watched): readonly Mark[] {
  const shares = reached.map(({ mark }) => mark);
  return denied ? [...shares, denied] : shares;
}
