import { StoreError } from "../errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Store } from "../store/store.ts";

/** How long an answer is repeated, in milliseconds: asking for health must not be a way to load Redis. */
const FRESH = 1_000;

/** A policy that nothing counts against: looking at it exercises the whole way to Redis and back. */
const PROBE: CompiledPolicy = {
  name: "health",
  algorithm: "fixed-window",
  limit: 1,
  window: 1,
  onFailure: undefined,
  parameters: [1_000_000, 0],
  field: "",
};

/** Answers whether decisions come from the store: 200, or 503 with the code of what is wrong. */
export function healthCheck(store: Store, now: () => number): () => Promise<Response> {
  let asked = -Infinity;
  let status: { status: "ok" } | { status: "store-unavailable"; code: string; detail: string } = {
    status: "ok",
  };
  return async function health() {
    if (now() - asked >= FRESH) {
      asked = now();
      try {
        await store.decide("peek", ["{_tidegate}:health"], 1, [PROBE]);
        status = { status: "ok" };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        status = { status: "store-unavailable", code: error.code, detail: error.message };
      }
    }
    return Response.json(status, {
      status: status.status === "ok" ? 200 : 503,
      headers: { "Cache-Control": "no-store" },
    });
  };
}
