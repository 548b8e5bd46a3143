import type { Implementation } from "../algorithms/algorithm.ts";
import type { FailureVerdict, Listener, Mode } from "../algorithms/common-options.ts";
import type { Faults } from "../options/faults.ts";
import { ADVERTISE, JITTER, SHARE, VERDICT } from "../options/messages.ts";
import type { Algorithm, Policy } from "./policy.ts";

/** The properties of a policy besides its numbers. */
export interface PolicyTraits {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly implementation: Implementation;
  /** Whether header fields and problem documents name it. */
  readonly advertise: boolean;
  readonly onFailure: FailureVerdict | undefined;
  /** The share by which a client's wait may be lengthened; `undefined` to use the limiter's. */
  readonly retryJitter: number | undefined;
  /** The dimension of the identity that it counts by; `undefined` for the whole identity. */
  readonly by: string | undefined;
  readonly mode: Mode;
  /** Whether holds give unused units back, so that no denial can be cached. */
  readonly refundable: boolean;
  /** Whether it counts failures: every request reserves a unit, and a request that did not fail gives it back. */
  readonly countsFailures: boolean;
  /** The number of keys that share its limit. */
  readonly shards: number;
  /** Its part in a decision of several policies, as `lua/decide.lua` describes it. */
  readonly role: "enforced" | "advisory" | "denials" | "owed";
  /** The time within which leased units may be spent, in microseconds; `undefined` without leases. */
  readonly leaseUs?: number | undefined;
  /** Set if each isolate chooses leases by itself. */
  readonly autoLease?: boolean;
  /** How a region decides it; `undefined` if home decides each request. */
  readonly region?: RegionTerms | undefined;
  /** The bound of requests that are admitted before the store has counted them; `undefined` if none is. */
  readonly optimistic?: Optimism | undefined;
  /** Shares of the limit that cause a notice, the highest first; `undefined` for none. */
  readonly notify?: readonly number[] | undefined;
  /** Told of its notices; `undefined` to tell the listener of all policies. */
  readonly onNotice?: Listener | undefined;
}

/** Whether the policies of a limiter are leased together, or admitted ahead of the store: those in shadow are apart. */
export function areTogether(
  one: Pick<PolicyTraits, "by" | "mode"> | undefined,
  other: Pick<PolicyTraits, "by" | "mode"> | undefined,
): boolean {
  return one?.by === other?.by && (one?.mode === "shadow") === (other?.mode === "shadow");
}

/** The value of `lease` with which each isolate chooses leases by itself. */
export const AUTO = "auto";

/** The bounds of requests that the store counts later, as `CommonOptions.optimistic` describes it. */
export interface Optimism {
  readonly unsettled: number;
  readonly above: number;
}

/** The bounds within which a region decides a policy. */
export interface RegionTerms {
  /** For how long the region may spend a unit after home took it, in microseconds. */
  readonly termUs: number;
  /** The most units that the region admits before home has counted them. */
  readonly credit: number;
  /** Those of all regions, by which home lowers the limit. */
  readonly reserve: number;
}

/** The meaning of `optimistic: true`. */
export const OPTIMISM: Optimism = { unsettled: 1, above: 0.5 };

/** The traits that make sense beside other policies, or that are settled later: a policy by itself has none. */
export const LIMITER_TRAITS = [
  "by",
  "counts",
  "lease",
  "optimistic",
  "notify",
  "onNotice",
  "shards",
  "refundable",
] as const satisfies (keyof Policy)[];

/** The options behind the traits, but for the name. */
export const TRAITS = ["advertise", "onFailure", "retryJitter", "mode", ...LIMITER_TRAITS];

export const VERDICTS = ["open", "closed", "local"] as const satisfies FailureVerdict[];

export const MODES = ["enforce", "shadow", "soft"] as const satisfies Mode[];

/** The traits of a policy's options; a faulty value stays unchanged. */
export function traitsOf(
  {
    advertise = true,
    onFailure,
    retryJitter,
    by,
    mode = "enforce",
    counts,
    shards = 1,
    refundable = false,
  }: Policy,
  { hasSlots }: Pick<Implementation, "hasSlots">,
): Omit<PolicyTraits, "name" | "algorithm" | "implementation"> {
  const enforcedRole = counts === "denials" ? "denials" : "enforced";
  const role = mode === "enforce" ? enforcedRole : "advisory";
  const countsFailures = counts === "failures";
  return {
    advertise,
    onFailure,
    retryJitter,
    by,
    mode,
    shards,
    refundable: refundable || countsFailures || hasSlots === true,
    countsFailures,
    role,
  };
}

/** Checks the options behind the traits that a policy by itself has. */
export function checkTraits(policy: Policy, path: string, faults: Faults): void {
  const { advertise, onFailure, retryJitter } = policy;
  if (advertise !== undefined && typeof advertise !== "boolean") {
    faults.add(`${path}.advertise`, advertise, ADVERTISE);
  }
  if (onFailure !== undefined) checkVerdict(onFailure, `${path}.onFailure`, faults);
  if (retryJitter !== undefined) checkRetryJitter(retryJitter, `${path}.retryJitter`, faults);
}

/** Checks a failure verdict. */
export function checkVerdict(verdict: unknown, path: string, faults: Faults): void {
  if ((VERDICTS as readonly unknown[]).includes(verdict)) return;
  const share = soleValue(soleValue(verdict, "local"), "share");
  if (!Number.isFinite(share)) {
    faults.add(path, verdict, VERDICT);
  } else if (!((share as number) > 0 && (share as number) <= 1)) {
    faults.add(`${path}.local.share`, share, SHARE);
  }
}

/** The value under this key; `undefined` for anything but an object with no other key. */
function soleValue(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === key ? (value as Record<string, unknown>)[key] : undefined;
}

/** Checks by how much waits may be lengthened. */
export function checkRetryJitter(jitter: unknown, path: string, faults: Faults): void {
  if (typeof jitter !== "number" || !(jitter >= 0 && jitter <= 1)) {
    faults.add(path, jitter, JITTER);
  }
}
