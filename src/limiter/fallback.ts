import type { FailureVerdict } from "../algorithms/algorithm.ts";
import type { Operation, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { createMemory, type Memory } from "../store/memory.ts";
import type { Reply } from "../store/store.ts";
import { createLastAnswers, type LastAnswer } from "./last-answers.ts";
import { localShareOf, scalePolicy } from "./local-share.ts";

/** Decides without the store. */
export interface Fallback {
  /** Decides one request by the policies' failure verdicts. */
  decide(
    operation: Operation,
    partition: string,
    keys: readonly string[],
    cost: number,
  ): FallbackResult;
  /** Notes an answer of the store. Both times are of the isolate's steady clock. */
  note(partition: string, reply: Reply, sentAtMs: number, nowMs: number): void;
  /** Forgets local counts, and ignores answers to requests sent before now. */
  forget(partition: string, keys: readonly string[], nowMs: number): void;
  /** The clock that local counts use, in microseconds since 1970. */
  readonly now: () => number;
}

export interface FallbackResult extends Reply {
  /** 503 if any policy fails closed, because it then denies; else 429 or 200. */
  readonly status: 200 | 429 | 503;
}

/** When to try again what only the store could admit: after the next probe of the breaker. */
const STORE_RETRY_US = 1_000_000;

/** Suffix of the keys of counts that continue from the store's last answer. No policy's name contains it. */
const SEEN = "~";

/**
 * Decides without the store, by each policy's failure verdict: `open` has room, `closed` has none, `local` counts in
 * this isolate's memory, with all of the limit or a share of it.
 *
 * There are two local counts per policy: one from zero, under the policy's own key, and one from what the store last
 * reported as used, under the key with `SEEN`. The first has the isolate's share of the limit. The second has all of it,
 * because the store reports what all isolates used. The stricter count decides, so an outage gives no fresh quota, however
 * often it comes and goes. The store does not count what is admitted here, except for a request that it executed
 * without answering in time: that one counts in both places.
 *
 * @param clock to count by, in microseconds since 1970. Default: the isolate's wall clock
 * @param memory for local counts; several limiters may share it
 */
export function createFallback(
  policies: readonly CompiledPolicy[],
  defaultVerdict: FailureVerdict,
  clock: () => number = () => Date.now() * 1000,
  memory: Memory = createMemory(),
): Fallback {
  const verdicts = policies.map(({ onFailure }) => onFailure ?? defaultVerdict);
  const shares = verdicts.map(localShareOf);
  const local = shares.flatMap((share, i) => (share === undefined ? [] : [i]));
  const whole = local.map((i) => policies[i]!);
  const counted = local.map((i) => scalePolicy(policies[i]!, shares[i]!));
  const closed = verdicts.includes("closed");
  const answers = createLastAnswers(local, clock);

  const localKeys = (keys: readonly string[]) => local.map((i) => keys[i]!);
  const seenKeys = (keys: readonly string[]) => local.map((i) => keys[i]! + SEEN);

  /**
   * Starts the second count: charges what the store reported as used, at the time of its answer, and then what the first
   * count holds.
   */
  function countSeen(
    seen: readonly string[],
    own: readonly string[],
    { atUs, remaining }: LastAnswer,
  ): void {
    const nowUs = clock();
    const { rows } = memory.decide(nowUs, "peek", own, 1, counted);
    memory.reset(seen);
    for (const [i, policy] of whole.entries()) {
      const charge = (timeUs: number, used: number) => {
        if (used > 0) memory.decide(timeUs, "charge", [seen[i]!], used, [policy]);
      };
      charge(Math.min(atUs, nowUs), policy.limit - remaining[i]!);
      charge(nowUs, counted[i]!.limit - rows[i]!.remaining);
    }
  }

  function decideLocally(
    operation: Operation,
    partition: string,
    keys: readonly string[],
    cost: number,
  ): Reply {
    const own = localKeys(keys);
    const answer = answers.find(partition);
    if (!answer) return memory.decide(clock(), operation, own, cost, counted);
    const seen = seenKeys(keys);
    if (answer.fresh) countSeen(seen, own, answer);
    const both = [...counted, ...whole];
    const { nowUs, rows } = memory.decide(clock(), operation, [...own, ...seen], cost, both);
    return { nowUs, rows: own.map((_key, i) => stricter(rows[i]!, rows[own.length + i]!)) };
  }

  return {
    now: clock,

    decide(operation, partition, keys, cost) {
      // A closed policy denies the request anyway, so nothing is taken.
      const asked = closed && operation === "consume" ? "peek" : operation;
      const reply = decideLocally(asked, partition, keys, cost);
      let next = 0;
      const rows = policies.map(({ limit }, i): Row => {
        if (shares[i] !== undefined) return untilAnswer(reply.rows[next++]!);
        return verdicts[i] === "open"
          ? { allowed: true, remaining: limit, retryAfterUs: 0, resetAfterUs: 0 }
          : {
              allowed: false,
              remaining: 0,
              retryAfterUs: STORE_RETRY_US,
              resetAfterUs: STORE_RETRY_US,
            };
      });
      const allowed = rows.every((row) => row.allowed);
      return { nowUs: reply.nowUs, rows, status: closed ? 503 : allowed ? 200 : 429 };
    },

    note(partition, reply, sentAtMs, nowMs) {
      if (local.length > 0) answers.note(partition, reply, sentAtMs, nowMs);
    },

    forget(partition, keys, nowMs) {
      if (local.length === 0) return;
      answers.forget(partition, nowMs);
      memory.reset([...localKeys(keys), ...seenKeys(keys)]);
    },
  };
}

/** A cost above the isolate's share never fits here, but it may as soon as the store answers. */
function untilAnswer(row: Row): Row {
  return row.retryAfterUs === Infinity ? { ...row, retryAfterUs: STORE_RETRY_US } : row;
}

/** The stricter of two counts of one policy. */
function stricter(a: Row, b: Row): Row {
  return {
    allowed: a.allowed && b.allowed,
    remaining: Math.min(a.remaining, b.remaining),
    retryAfterUs: Math.max(a.retryAfterUs, b.retryAfterUs),
    resetAfterUs: Math.max(a.resetAfterUs, b.resetAfterUs),
  };
}
