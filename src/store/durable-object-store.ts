import { checkDuration, type Duration } from "../options/duration.ts";
import type { StoreError } from "../options/errors.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { monotonicNow } from "../runtime/time.ts";
import { createSlotBreaker } from "./cluster/slot-breaker.ts";
import { perPartition } from "./durable-object-partitions.ts";
import { toData } from "./durable-object-policies.ts";
import { DEFAULT_TIMEOUT_MS, guardStore, TIMEOUT_RANGE } from "./guarded-store.ts";
import type { ObjectNamespace } from "./object-call.ts";
import { callsOf, checkNamespace } from "./partition-objects.ts";
import type { Store } from "./store.ts";
import type { TidegateObject } from "./tidegate-object.ts";

/** The options of `durableObjectStore()`. */
export interface DurableObjectStoreOptions {
  /**
   * The time that a decision waits for an object; then `onFailure` decides. Until the first answer in an isolate it
   * waits up to four times as long, at most a second. Range: `"1ms"` to `"1m"`. Default: `"250ms"`.
   */
  readonly timeout?: Duration;
  /** Called once per outage, with its first failure. Default: logs one line when an outage begins and one when it ends. */
  readonly onStoreError?: (error: StoreError) => void;
}

/**
 * Counts in Durable Objects instead of Redis: one object for each partition, which decides by its own clock and keeps
 * its counts in SQLite. Policies that count by several partitions ask their objects concurrently, and give units back
 * if one of them denies.
 *
 * An object decides a few hundred requests per second. A policy that all clients share, `by: "*"`, has a single object:
 * lease it.
 *
 * @param namespace the binding of `TidegateObject` in `wrangler.toml`, with `new_sqlite_classes`
 * @throws ConfigurationError with every fault
 * @example
 * import { env } from "cloudflare:workers";
 *
 * const limiter = createLimiter({
 *   store: durableObjectStore(env.LIMITS),
 *   policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
 * });
 */
export function durableObjectStore(
  namespace: ObjectNamespace,
  options: DurableObjectStoreOptions = {},
): Store {
  const { timeoutMs, onStoreError } = checked(namespace, options);

  const call = callsOf<TidegateObject>((tag) => namespace.get(namespace.idFromName(tag)));
  const guarded = guardStore(
    {
      decide: (operation, keys, costs, policies, ...more) =>
        call(keys, (stub) => stub.decide(operation, keys, costs, policies.map(toData), ...more)),
      refund: (keys, costs, policies, { nowUs }, slot) =>
        call(keys, (stub) => stub.refund(keys, costs, policies.map(toData), nowUs, slot)),
      extend: (keys, policies, slot) =>
        call(keys, (stub) => stub.extend(keys, policies.map(toData), slot)),
      reset: (keys) => call(keys, (stub) => stub.reset(keys)),
    },
    { name: "The Durable Object", timeoutMs, now: monotonicNow, onStoreError },
    // A failing object suspends one partition in 256, not all of them.
    createSlotBreaker(),
  );

  return {
    ...perPartition(guarded),
    inspect: async () => ({ store: "durable-object", ...guarded.state() }),
  };
}

function checked(namespace: unknown, options: DurableObjectStoreOptions) {
  const faults = new Faults();
  const { timeout, onStoreError } = checkedOptions(options, ["timeout", "onStoreError"], faults);
  checkNamespace(namespace, { class: "TidegateObject", binding: "LIMITS" }, faults);
  if (onStoreError !== undefined && typeof onStoreError !== "function") {
    faults.add("onStoreError", onStoreError, FUNCTION, "takes a StoreError");
  }
  const timeoutUs =
    timeout === undefined
      ? DEFAULT_TIMEOUT_MS * 1000
      : checkDuration(timeout, TIMEOUT_RANGE, "timeout", faults);
  faults.throwIfAny();
  return { timeoutMs: timeoutUs! / 1000, onStoreError };
}
