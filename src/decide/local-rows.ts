import type { FailureVerdict } from "../algorithms/common-options.ts";
import type { Operation, Pass, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { UsedUnits } from "./local-units.ts";

/** The wait, in microseconds, of requests that only the store can admit: until after the breaker's next probe. */
const STORE_RETRY_US = 1_000_000;

/** The units of a policy, as an isolate without the store knows them. */
export interface KnownUnits {
  /** The isolate's share of the limit. */
  readonly limit: number;
  /** Units admitted here; of a shard, those of all shards. */
  readonly used: UsedUnits;
  /** Units that the store's last answer says are used; `undefined` without an answer. */
  readonly there: UsedUnits | undefined;
}

/** The row of a policy that counts without the store. */
export function rowOf(
  policy: CompiledPolicy,
  { limit, used: here, there }: KnownUnits,
  pass: Pass | Operation,
  cost: number,
): Row {
  const wanted = pass === "charge" ? 1 : cost;
  let remaining = limit - here.used;
  let waitUs = wanted > remaining ? here.leftUs : 0;
  if (there) {
    // A shard bears its part of the units of all shards.
    const part = Math.ceil(here.used * (policy.limit / (policy.unsharded ?? policy).limit));
    remaining = Math.min(remaining, policy.limit - there.used - part);
    waitUs = Math.max(
      waitUs,
      there.used + wanted > policy.limit ? there.leftUs : 0,
      part + wanted > policy.limit ? here.leftUs : 0,
      // If neither count is too much alone, there is room as soon as one of the two windows ends.
      wanted > remaining ? Math.min(here.leftUs, there.leftUs) : 0,
    );
  }
  return {
    allowed: cost <= remaining,
    remaining: Math.max(0, remaining),
    // A cost above the isolate's share never fits here, but it may as soon as the store answers.
    retryAfterUs: wanted > limit ? STORE_RETRY_US : waitUs,
    resetAfterUs: Math.max(here.leftUs, there?.leftUs ?? 0),
  };
}

/** The row of a policy that does not count without the store. */
export function rowWithoutCount(verdict: FailureVerdict, { limit, role }: CompiledPolicy): Row {
  return verdict === "closed" && role !== "advisory"
    ? { allowed: false, remaining: 0, retryAfterUs: STORE_RETRY_US, resetAfterUs: STORE_RETRY_US }
    : { allowed: true, remaining: limit, retryAfterUs: 0, resetAfterUs: 0 };
}
