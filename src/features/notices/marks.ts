import { FIXED_WINDOW } from "../../algorithms/fixed-window.ts";
import { Faults } from "../../options/faults.ts";
import { type CompiledPolicy, completePolicy } from "../../policy/compile.ts";
import { oncePerPolicy } from "../../policy/once-per-policy.ts";
import { setRecent } from "../../runtime/lru.ts";
import type { NoticedPolicy } from "./listener.ts";

/** How a notice of one kind is told once. */
export interface Mark extends Pick<NoticedPolicy, "kind" | "share"> {
  /**
   * Two counts of one unit: of notices told in the policy's window, and of isolates that are telling one. A notice is told
   * by the isolate that gets the second while the first is not in debt.
   */
  readonly policies: readonly [told: CompiledPolicy, telling: CompiledPolicy];
  /** Until when this isolate need not ask, by partition, in milliseconds of its clock. */
  readonly silentUntilMs: Map<string, number>;
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

/**
 * How long other isolates leave a notice to the one that has begun to tell it: longer than Workers keep a request after its response, so
 * that the isolate has either told it by then or never will.
 */
const TELLING_US = 60_000_000;

/** The traits of a policy that only counts. */
const PLAIN = {
  algorithm: "fixed-window",
  implementation: FIXED_WINDOW,
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

/** Its keys have the limit, so that a notice is told again under another one: 80 % of more is news. */
function createMark(policy: CompiledPolicy, kind: Mark["kind"], share: number | undefined): Mark {
  // No policy is named so.
  const name = `${policy.name}!${share ?? kind}/${policy.limit}`;
  const told = countOfOne(policy, name, policy.windowUs);
  const telling = countOfOne(policy, `${name}!`, Math.min(policy.windowUs, TELLING_US));
  return { kind, share, policies: [told, telling], silentUntilMs: new Map() };
}

/** A count of one unit in the policy's own windows, or in shorter ones that begin with it. */
function countOfOne(policy: CompiledPolicy, name: string, windowUs: number): CompiledPolicy {
  const { algorithm, implementation, by } = policy;
  const traits = { ...PLAIN, name, by };
  // Windows of a calendar are fixed ones, too.
  if (implementation.code === FIXED_WINDOW.code && windowUs === policy.windowUs) {
    const quota = implementation.scale(policy, 1, { numerator: 1, denominator: 1 });
    return completePolicy({ ...traits, algorithm, implementation }, quota);
  }
  const quota = FIXED_WINDOW.quotaOf(
    1,
    { window: windowUs, aligned: 0 },
    name,
    new Faults(),
    PLAIN,
  );
  return completePolicy(traits, quota);
}

/** Whether this isolate may ask now. */
export function mayAsk({ silentUntilMs }: Mark, partition: string, nowMs: number): boolean {
  const untilMs = silentUntilMs.get(partition);
  return untilMs === undefined || nowMs >= untilMs;
}

export function keepSilent({ silentUntilMs }: Mark, partition: string, untilMs: number): void {
  setRecent(silentUntilMs, partition, untilMs, MAX_PARTITIONS);
}

export function marksOf({ reached, denied }: Watched): readonly Mark[] {
  const shares = reached.map(({ mark }) => mark);
  return denied ? [...shares, denied] : shares;
}
