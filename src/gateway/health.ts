import { fixedWindow } from "../algorithms/fixed-window.ts";
import { StoreError } from "../options/errors.ts";
import { Faults } from "../options/faults.ts";
import { compilePolicies } from "../policy/compile.ts";
import type { Store, StoreFacts } from "../store/store.ts";

/** How long an answer is reused, so that health checks cannot put load on Redis. */
const FRESH_MS = 1_000;

/** Never used up, so that every check writes, as a decision does: a store may answer reads and refuse writes. */
const MAX_CHECKS = 1_000_000_000;

/** A policy for health checks only. Charging it exercises the whole way to Redis and back. */
const POLICIES = compilePolicies(
  [fixedWindow({ name: "health", limit: MAX_CHECKS, window: "1s" })],
  "policies",
  new Faults(),
);

const DEGRADED =
  "The published rules are not in force: GET /_tidegate/api/v1/health says which are, and why.";

/** The answer for load balancers, as long as the gateway serves. It asks nobody. */
export function alive(): Response {
  return Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
}

const KEYS_UNREAD =
  "The keys of JWT could not be read: tokens are verified by those of before, or count as missing.";

type Verdict =
  | { readonly status: "ok" }
  | { readonly status: "store-unavailable"; readonly code: string; readonly detail: string };

type Status = Verdict & StoreFacts;

/**
 * Creates the health check. It answers 200 if decisions come from the store, else 503 with the error's code, and
 * describes the store. While rules other than the published ones are in force, or the keys of tokens cannot be read, its status is
 * `degraded`, still with 200. It writes one key of its own, which expires within two seconds.
 */
export function healthCheck(
  store: Store,
  prefix: string,
  now: () => number,
  liveError: () => string | undefined,
  keysError: () => string | undefined = () => undefined,
): () => Promise<Response> {
  // No identity maps to this partition: a partition key that begins with `#` has 43 more characters.
  const keys = POLICIES.map(({ key }) => `${prefix}:{#health}:${key}`);
  let askedAtMs = -Infinity;
  let known: Status | undefined;

  async function decide(): Promise<Verdict> {
    try {
      await store.decide("charge", keys, [1], POLICIES);
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
    // The answer is kept, not its promise: on Workers the request that asks may be gone before its answer arrives, and
    // no timer of their own ends the wait of the others here.
    if (known === undefined || now() - askedAtMs >= FRESH_MS) {
      askedAtMs = now();
      known = await ask();
    }
    const unread = keysError() === undefined ? undefined : KEYS_UNREAD;
    const detail = liveError() === undefined ? unread : DEGRADED;
    const isDegraded = known.status === "ok" && detail !== undefined;
    return Response.json(isDegraded ? { ...known, status: "degraded", detail } : known, {
      status: known.status === "ok" ? 200 : 503,
      headers: { "Cache-Control": "no-store" },
    });
  };
}
