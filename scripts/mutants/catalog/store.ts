import type { Written } from "../written.ts";

/** How Redis is asked, and what decides when it does not answer. */
export const STORE: readonly Written[] = [
  {
    name: "a timeout of the guard is ten times as long by default",
    file: "src/store/guarded-store.ts",
    find: "DEFAULT_TIMEOUT_MS = 250",
    replace: "DEFAULT_TIMEOUT_MS = 2_500",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "a listener that throws breaks the decision",
    file: "src/store/guarded-store.ts",
    find: "report(`onStoreError failed: ${String(error)}`);",
    replace: "throw error;",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "the log hears of every failure",
    file: "src/store/guarded-store.ts",
    find: "if (breaker.failed(key!, sentAtMs, lastFailureMs)) {",
    replace: "breaker.failed(key!, sentAtMs, lastFailureMs);\n      {",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "who is shut out by a closed policy waits for a minute",
    file: "src/outage/local-counts.ts",
    find: "STORE_RETRY_US = 1_000_000",
    replace: "STORE_RETRY_US = 60_000_000",
    tests: ["test/limiter/outage-rows"],
  },
  {
    name: "a request that a closed policy denies is counted",
    file: "src/decide/outage.ts",
    find: "isClosed || answered.some(deniesIn)",
    replace: "answered.some(deniesIn)",
    tests: ["test/limiter/outage-rows"],
  },
  {
    name: "a consume is asked again after any error",
    file: "src/store/redis/store.ts",
    find: "if (!isMissingScript(error)) throw error;",
    replace: "",
    tests: ["test/store/redis-dialect"],
  },
  {
    name: "the timeout is not kept",
    file: "src/store/guarded-store.ts",
    find: "withTimeout(ms, ask)",
    replace: "withTimeout(ms * 10, ask)",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "the breaker never opens",
    file: "src/runtime/breaker.ts",
    find: "const THRESHOLD = 5",
    replace: "const THRESHOLD = Infinity",
    tests: ["test/runtime/breaker"],
  },
  {
    name: "a closed policy lets pass",
    file: "src/decide/outage.ts",
    find: "isClosed ? 503 : inOrder().some(deniesIn) ? 429 : 200",
    replace: "isClosed || !inOrder().some(deniesIn) ? 200 : 429",
    tests: ["test/limiter/outage"],
  },
  {
    name: "in an outage every policy does as the limiter does",
    file: "src/outage/local-counts.ts",
    find: "onFailure ?? defaultVerdict",
    replace: "defaultVerdict",
    tests: ["test/limiter/outage-rows"],
  },
  {
    name: "in an outage a policy that is open has no units",
    file: "src/outage/local-counts.ts",
    find: "allowed: true, remaining: limit",
    replace: "allowed: true, remaining: 0",
    tests: ["test/limiter/outage-rows"],
  },
];
