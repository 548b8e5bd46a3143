import type { Implementation } from "../algorithms/algorithm.ts";
import type { FailureVerdict, Mode } from "../algorithms/common-options.ts";
import type { Faults } from "../options/faults.ts";
import { ADVERTISE, CHOICE, JITTER, SHARE, VERDICT } from "../options/messages.ts";
import type { Algorithm, Policy } from "./policy.ts";

/** What a policy is, besides its numbers. */
export interface PolicyTraits {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly implementation: Implementation;
  /** Whether header fields and problem documents name it. */
  readonly advertise: boolean;
  readonly onFailure: FailureVerdict | undefined;
  /** The share by which a wait that a client is told may be lengthened; `undefined` if only the limiter says. */
  readonly retryJitter: number | undefined;
  /** The dimension of the identity that it counts by; `undefined` for the whole identity. */
  readonly by: string | undefined;
  readonly mode: Mode;
  /** Whether holds give back what they reserved too much, so that no denial is known. */
  readonly refundable: boolean;
  /** Whether it counts failures: every request reserves, and those that were none give it back. */
  readonly countsFailures: boolean;
  /** Over how many keys its limit is split. */
  readonly shards: number;
  /** Its part in a decision of several policies, as `lua/decide.lua` describes it. */
  readonly role: "enforced" | "advisory" | "denials";
  /** How long units that are leased may be spent, in microseconds; `undefined` without leases. */
  readonly leaseUs?: number | undefined;
  /** Set if each isolate finds out itself what is worth a lease. */
  readonly autoLease?: boolean;
  /** Up to where its requests are admitted before the store has counted them; `undefined` if none is. */
  readonly optimistic?: Optimism | undefined;
  /** Shares of the limit of which somebody is told, the highest first; `undefined` for none. */
  readonly notify?: readonly number[] | undefined;
}

/** Up to where an isolate admits requests that the store counts later, as `CommonOptions.optimistic` describes it. */
export interface Optimism {
  readonly unsettled: number;
  readonly above: number;
}

/** What `optimistic: true` is. */
export const OPTIMISM: Optimism = { unsettled: 1, above: 0.5 };

/** The traits that make sense beside other policies, or that are settled later: a policy by itself has none. */
export const LIMITER_TRAITS = [
  "by",
  "counts",
  "lease",
  "optimistic",
  "notify",
  "shards",
  "refundable",
] as const satisfies (keyof Policy)[];

/** The options behind the traits, but for the name. */
export const TRAITS = ["advertise", "onFailure", "retryJitter", "mode", ...LIMITER_TRAITS];

export const VERDICTS = ["open", "closed", "local"] as const satisfies FailureVerdict[];

export const MODES = ["enforce", "shadow", "soft"] as const satisfies Mode[];

/** The traits that follow from a policy's options; what has a fault is as it was given. */
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
  const { advertise, onFailure, retryJitter, mode } = policy;
  if (advertise !== undefined && typeof advertise !== "boolean") {
    faults.add(`${path}.advertise`, advertise, ADVERTISE);
  }
  if (onFailure !== undefined) checkVerdict(onFailure, `${path}.onFailure`, faults);
  if (retryJitter !== undefined) checkRetryJitter(retryJitter, `${path}.retryJitter`, faults);
  if (mode !== undefined && !MODES.includes(mode)) {
    faults.add(`${path}.mode`, mode, CHOICE, MODES);
  }
}

/** Checks what is to decide while Redis gives no answer. */
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
function soleValue(given: unknown, key: string): unknown {
  if (typeof given !== "object" || given === null) return undefined;
  const keys = Object.keys(given);
  return keys.length === 1 && keys[0] === key ? (given as Record<string, unknown>)[key] : undefined;
}

/** Checks by how much waits may be lengthened. */
export function checkRetryJitter(jitter: unknown, path: string, faults: Faults): void {
  if (typeof jitter !== "number" || !(jitter >= 0 && jitter <= 1)) {
    faults.add(path, jitter, JITTER);
  }
}
