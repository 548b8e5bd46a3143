import type { CompiledPolicy } from "../policy/compile.ts";
import type { FailureVerdict } from "../policy/policy.ts";
import type { Operation, Reply, Row, Store } from "../store/store.ts";

/** What the policies' failure verdicts make of one request. */
export interface Fallback {
  /** What the isolate's clock shows, in microseconds since 1970. */
  readonly now: number;
  readonly rows: readonly Row[];
  /** 503 where a policy that fails closed denies, else 429 or 200. */
  readonly status: 200 | 429 | 503;
}

/** Microseconds after which a client denied by a closed policy may try again: when the breaker has probed once. */
const CLOSED_RETRY = 1_000_000;

/**
 * Decides without the store, by each policy's verdict: `open` has room, `closed` has none, `local` counts in this
 * isolate's memory.
 */
export function createFallback(
  policies: readonly CompiledPolicy[],
  defaultVerdict: FailureVerdict,
  memory: Store,
): (operation: Operation, keys: readonly string[], cost: number) => Fallback {
  const verdicts = policies.map(({ onFailure }) => onFailure ?? defaultVerdict);
  const local = policies.filter((_policy, i) => verdicts[i] === "local");
  const closed = verdicts.includes("closed");

  return function decideWithoutStore(operation, keys, cost) {
    // Nothing is taken from a request that is denied anyway.
    const asked = closed && operation === "consume" ? "peek" : operation;
    const localKeys = keys.filter((_key, i) => verdicts[i] === "local");
    // The memory store answers at once.
    const reply = memory.decide(asked, localKeys, cost, local) as Reply;
    let next = 0;
    const rows = policies.map(({ limit }, i): Row => {
      if (verdicts[i] === "local") return reply.rows[next++]!;
      return verdicts[i] === "open"
        ? { allowed: true, remaining: limit, retryAfter: 0, resetAfter: 0 }
        : { allowed: false, remaining: 0, retryAfter: CLOSED_RETRY, resetAfter: CLOSED_RETRY };
    });
    const allowed = rows.every((row) => row.allowed);
    return { now: reply.now, rows, status: closed ? 503 : allowed ? 200 : 429 };
  };
}
