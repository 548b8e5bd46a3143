import { fixedWindow } from "../algorithms/fixed-window.ts";
import { StoreError } from "../errors/errors.ts";
import { Faults } from "../options/faults.ts";
import { compilePolicies } from "../policy/compile.ts";
import type { Store, StoreFacts } from "../store/store.ts";

/** How long an answer is repeated, in milliseconds: asking for health must not be a way to load Redis. */
const FRESH = 1_000;

/** So many that every look writes, as a decision that takes something does: a store may answer and take no writes. */
const LOOKS = 1_000_000_000;

/** A policy that nobody else counts against: charging it exercises the whole way to Redis and back. */
const POLICIES = compilePolicies(
  [fixedWindow({ name: "health", limit: LOOKS, window: "1s" })],
  "policies",
  new Faults(),
);

type Verdict =
  | { readonly status: "ok" }
  | { readonly status: "store-unavailable"; readonly code: string; readonly detail: string };

type Status = Verdict & StoreFacts;

/**
 * Answers whether decisions come from the store: 200, or 503 with the code of what is wrong; and what the store is. It
 * writes one key, of its own, that expires within two seconds.
 */
export function healthCheck(
  store: Store,
  prefix: string,
  now: () => number,
): () => Promise<Response> {
  // No identity becomes this partition: after a `#`, a partition key has 43 characters.
  const keys = POLICIES.map(({ key }) => `${prefix}:{#health}:${key}`);
  let asked = -Infinity;
  let known: Status | undefined;

  async function decide(): Promise<Verdict> {
    try {
      await store.decide("charge", keys, 1, POLICIES);
      return { status: "ok" };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { status: "store-unavailable", code: error.code, detail: error.message };
    }
  }

  async function ask(): Promise<Status> {
    const verdict = await decide();
    return { ...verdict, ...((await store.inspect?.()) ?? { store: "memory" }) };
  }

  return async function health() {
    // Not a promise that all would wait for: on Workers, no request may wait for another one's I/O.
    if (known === undefined || now() - asked >= FRESH) {
      asked = now();
      known = await ask();
    }
    return Response.json(known, {
      status: known.status === "ok" ? 200 : 503,
      headers: { "Cache-Control": "no-store" },
    });
  };
}
