import {
  concurrency,
  fixedWindow,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../support/limiter/plain.ts";

/* The policies of a story, in the ledger's own numbers. */

export const SECOND_US = 1_000_000;
/** Of every window, and the time in which a bucket gets its `refill`. */
export const WINDOW_US = 60 * SECOND_US;
/** A ban outlasts the denials that an isolate remembers, so that those are counted before it ends. */
export const BAN_US = 86_400 * SECOND_US;
/** Of the windows of a calendar: hours of Kathmandu, whose clocks are 45 minutes ahead of full hours of UTC. */
export const HOUR_US = 3_600 * SECOND_US;
export const HOUR_AHEAD_US = 2_700 * SECOND_US;
export const SEGMENTS = 6;
/** How long a hold keeps a slot. */
export const TTL_US = 10 * SECOND_US;

export type Counting =
  | "fixed-window"
  | "unaligned-window"
  | "calendar-window"
  | "sliding-window-log"
  | "segmented-window"
  | "sliding-window-counter"
  | "token-bucket";

/** A policy's numbers under one plan. */
export interface Numbers {
  readonly limit: number;
  /** Units that a bucket gets back in a window; 0 for others. */
  readonly refill: number;
}

export interface LedgerPolicy {
  readonly name: string;
  readonly algorithm: Counting | "concurrency";
  readonly by: string;
  readonly counts: "requests" | "failures" | "denials";
  readonly mode: "enforce" | "shadow" | "soft";
  readonly refundable: boolean;
  readonly shards: number;
  readonly windowUs: number;
  readonly onFailure: "local" | "open" | "closed" | { readonly local: { readonly share: number } };
  /** By the name of a plan; `none` without one. */
  readonly under: Readonly<Record<string, Numbers>>;
}

/** Whether a hold gets units back from it, or frees a slot of it. */
export function givesBack({ refundable, counts, algorithm }: LedgerPolicy): boolean {
  return refundable || counts === "failures" || algorithm === "concurrency";
}

export function numbersUnder({ under }: LedgerPolicy, plan: string | undefined): Numbers {
  return under[plan ?? "none"]!;
}

/** The part of a limit that a shard enforces: whole units, and the first ones have a unit more. */
export function limitOfShard(limit: number, shards: number, shard: number): number {
  return Math.floor(limit / shards) + Number(shard < limit % shards);
}

const BUILDERS = {
  "unaligned-window": (options: Parameters<typeof fixedWindow>[0]) =>
    fixedWindow({ ...options, aligned: false } as Parameters<typeof fixedWindow>[0]),
  "calendar-window": (options: Parameters<typeof fixedWindow>[0]) =>
    fixedWindow({ ...options, window: "hour", timeZone: "Asia/Kathmandu" }),
  "fixed-window": fixedWindow,
  "sliding-window-log": slidingWindowLog,
  "sliding-window-counter": slidingWindowCounter,
} as const;

/** The policy as a limiter takes it. */
export function policyOf(given: LedgerPolicy): Policy {
  const { name, by, counts, mode, shards, onFailure, algorithm, windowUs } = given;
  const { limit, refill } = numbersUnder(given, undefined);
  const traits = { name, by, mode, onFailure, limit };
  if (algorithm === "concurrency") return concurrency({ ...traits, ttl: duration(TTL_US) });
  const options = {
    ...traits,
    counts,
    ...(shards > 1 && { shards }),
    ...(given.refundable && { refundable: true }),
  };
  const window = duration(windowUs);
  if (algorithm === "token-bucket") return tokenBucket({ ...options, refill, per: window });
  if (algorithm === "segmented-window") {
    return segmentedWindow({ ...options, window, segments: SEGMENTS });
  }
  return BUILDERS[algorithm]({ ...options, window });
}

function duration(us: number) {
  return `${us / SECOND_US}s` as const;
}

/** The plans as a limiter takes them. */
export function plansOf(policies: readonly LedgerPolicy[]) {
  const names = Object.keys(policies[0]!.under).filter((plan) => plan !== "none");
  return Object.fromEntries(
    names.map((plan) => [
      plan,
      Object.fromEntries(
        policies.map((policy) => {
          const { limit, refill } = numbersUnder(policy, plan);
          return [policy.name, { limit, ...(refill > 0 && { refill }) }];
        }),
      ),
    ]),
  );
}
