import type { Operation } from "../algorithms/model.ts";
import type { PolicyRows } from "../decision/outcome.ts";
import { setRecent } from "../runtime/lru.ts";
import type { Reply } from "../store/store.ts";
import type { PartitionedRequest } from "./selection.ts";

/** What a decision needs where not every policy is plain: some only advise, some count denials or failures. */
export interface Roles {
  /** The costs that the store is asked about: with denials that are not counted yet, and none that can never have room. */
  costsToAsk(operation: Operation, request: PartitionedRequest, keysOf: KeysOf): readonly number[];
  /** The reply in which advisory policies deny a cost above their limit, and a wait for failures is short. */
  withoutRoom(operation: Operation, request: PartitionedRequest, reply: Reply): Reply;
  /** Notes a denial that the store does not see; policies that count denials count it with the next call. */
  noteDenial(request: PartitionedRequest, keysOf: KeysOf, denied: PolicyRows): void;
  /** Forgets denials that are not counted yet. */
  forget(keys: readonly string[]): void;
}

/** The keys of a request, made only where they are needed: a denial of a limiter without roles makes none. */
type KeysOf = (request: PartitionedRequest) => readonly string[];

/** Keys with denials that are not counted yet: as many clients as are denied between two calls of the store. */
const MAX_KEYS = 10_000;

/**
 * The longest wait for a policy that counts failures. What it denies is often reserved by requests that are no failures,
 * and comes back with their responses: nobody knows when, and a client that waited for the window would wait in vain.
 */
const LONGEST_WAIT_US = 1_000_000;

export function createRoles(): Roles {
  const uncounted = new Map<string, number>();

  function take(key: string): number {
    const count = uncounted.get(key) ?? 0;
    uncounted.delete(key);
    return count;
  }

  return {
    costsToAsk(operation, request, keysOf) {
      const { policies, isPlain } = request.selection;
      const { costs } = request;
      if (isPlain || operation === "charge") return costs;
      const keys = keysOf(request);
      return policies.map(({ role, limit: most }, i) => {
        // One that decides alone is asked whether it has room for one more.
        if (role === "denials") return operation === "consume" ? take(keys[i]!) : 1;
        return costs[i]! > most ? 0 : costs[i]!;
      });
    },

    withoutRoom(operation, { selection: { policies, isPlain }, costs }, reply) {
      if (isPlain) return reply;
      const rows = reply.rows.map((row, i) => {
        const { role, limit: most, countsFailures } = policies[i]!;
        const { remaining, retryAfterUs, resetAfterUs } = row;
        if (role === "advisory" && costs[i]! > most && operation !== "charge") {
          return { allowed: false, remaining, retryAfterUs: Infinity, resetAfterUs };
        }
        if (!countsFailures || retryAfterUs <= LONGEST_WAIT_US) return row;
        return { ...row, retryAfterUs: LONGEST_WAIT_US };
      });
      return { ...reply, rows };
    },

    noteDenial(request, keysOf, denied) {
      const { policies, isPlain } = request.selection;
      if (isPlain) return;
      const keys = keysOf(request);
      policies.forEach((policy, i) => {
        if (policy.role !== "denials") return;
        const byOther = denied.rows.some(
          ({ allowed }, row) => !allowed && denied.policies[row] !== policy,
        );
        if (byOther) setRecent(uncounted, keys[i]!, (uncounted.get(keys[i]!) ?? 0) + 1, MAX_KEYS);
      });
    },

    forget(keys) {
      for (const key of keys) uncounted.delete(key);
    },
  };
}
