import type { Counts, Mode } from "../../src/algorithms/common-options.ts";
import type { Operation, Row } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { CrossSlotError } from "../../src/store/redis/errors.ts";
import { compile } from "../support/compile-policy.ts";
import { fixedWindow, type Store, StoreError } from "../support/limiter/plain.ts";

/** One call that a store got, and with which list of policies. */
export interface PartCall {
  readonly call: Operation | "refund" | "reset";
  readonly keys: readonly string[];
  readonly costs?: readonly number[];
  readonly policies?: readonly CompiledPolicy[];
  readonly takenAtUs?: number;
}

/** The answer of a key's policy: whether it has room, its remaining units, and the wait for the same cost now. */
export interface Held {
  readonly allowed?: boolean;
  readonly remaining?: number;
  readonly retryAfterUs?: number;
}

export const LOST = new StoreError("ERR_STORE_TIMEOUT", "Redis did not answer within 250 ms.");

/** The clock of each tag's master. */
export const CLOCKS: Record<string, number> = { a: 1_000, b: 2_000, "*": 3_000 };

export const tagOf = (key: string) => /\{(.*)\}/.exec(key)![1]!;

/**
 * A cluster whose masters have scripted answers: `held` by key, `dead` tags that do not answer, and `refunds` that are lost. It
 * notes every call.
 */
export function scriptedParts(isCluster = true) {
  const calls: PartCall[] = [];
  const held: Record<string, Held> = {};
  const dead = new Set<string>();
  const state = { isCluster, refundsFail: false };

  function route(keys: readonly string[]): void {
    if (dead.has(tagOf(keys[0]!))) throw LOST;
    if (state.isCluster && new Set(keys.map(hashSlot)).size > 1) throw new CrossSlotError();
  }

  function rowOf(key: string): Row {
    const { allowed = true, remaining = 5, retryAfterUs = allowed ? 0 : 700 } = held[key] ?? {};
    return { allowed, remaining, retryAfterUs, resetAfterUs: 900 };
  }

  const store: Store = {
    async decide(operation, keys, costs, policies) {
      calls.push({ call: operation, keys, costs, policies });
      route(keys);
      return { nowUs: CLOCKS[tagOf(keys[0]!)]!, rows: keys.map(rowOf) };
    },
    async refund(keys, costs, policies, { nowUs }) {
      calls.push({ call: "refund", keys, costs, policies, takenAtUs: nowUs });
      if (state.refundsFail) throw LOST;
      route(keys);
      return costs;
    },
    async reset(keys) {
      calls.push({ call: "reset", keys });
      route(keys);
    },
  };
  return { store, calls, held, dead, state };
}

/** A key, and the policy that is counted under it. */
export type Counted = readonly [
  tag: string,
  name: string,
  kind?: Mode | Exclude<Counts, "failures">,
];

/** Keys and policies of these names, with a limit of 10. */
export function counted(given: readonly Counted[]) {
  const policies = compile(
    given.map(([, name, kind = "enforce"]) =>
      fixedWindow({
        name,
        limit: 10,
        window: "1h",
        ...(kind === "denials" || kind === "requests" ? { counts: kind } : { mode: kind }),
      }),
    ),
  );
  return { policies, keys: given.map(([tag, name]) => `tg:{${tag}}:${name}`) };
}
