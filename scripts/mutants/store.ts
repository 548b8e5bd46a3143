import type { Mutant } from "./mutant.ts";

/** How Redis is asked, and what decides when it does not answer. */
export const STORE: readonly Mutant[] = [
  {
    name: "a budget of the guard is ten times as long by default",
    file: "src/limiter/guarded-store.ts",
    find: "DEFAULT_BUDGET = 250",
    replace: "DEFAULT_BUDGET = 2_500",
    tests: ["test/limiter/guarded-store"],
  },
  {
    name: "a listener that throws breaks the decision",
    file: "src/limiter/guarded-store.ts",
    find: "report(`onStoreError failed: ${String(error)}`);",
    replace: "throw error;",
    tests: ["test/limiter/guarded-store"],
  },
  {
    name: "the log hears of every failure",
    file: "src/limiter/guarded-store.ts",
    find: "if (breaker.failed(key!, sentAt, lastFailure)) {",
    replace: "breaker.failed(key!, sentAt, lastFailure);\n      {",
    tests: ["test/limiter/guarded-store"],
  },
  {
    name: "who is shut out by a closed policy waits for a minute",
    file: "src/limiter/failure.ts",
    find: "CLOSED_RETRY = 1_000_000",
    replace: "CLOSED_RETRY = 60_000_000",
    tests: ["test/limiter/outage-rows"],
  },
  {
    name: "a request that a closed policy denies is counted",
    file: "src/limiter/failure.ts",
    find: 'closed && operation === "consume" ? "peek" : operation',
    replace: "operation",
    tests: ["test/limiter/outage-rows"],
  },
  {
    name: "a consume is asked again after any error",
    file: "src/store/redis-store.ts",
    find: "const ran = !isMissingScript(error) && !isUnknownDialect(error);",
    replace: "const ran = false;",
    tests: ["test/store/redis-dialect"],
  },
  {
    name: "the budget is not kept",
    file: "src/limiter/guarded-store.ts",
    find: "within(budget, ask)",
    replace: "within(budget * 10, ask)",
    tests: ["test/limiter/guarded-store"],
  },
  {
    name: "the breaker never opens",
    file: "src/limiter/breaker.ts",
    find: "const THRESHOLD = 5",
    replace: "const THRESHOLD = Infinity",
    tests: ["test/limiter/breaker"],
  },
  {
    name: "a closed policy lets pass",
    file: "src/limiter/failure.ts",
    find: "status: closed ? 503 : allowed ? 200 : 429",
    replace: "status: allowed || closed ? 200 : 429",
    tests: ["test/limiter/outage"],
  },
  {
    name: "in an outage every policy does as the limiter does",
    file: "src/limiter/failure.ts",
    find: "onFailure ?? defaultVerdict",
    replace: "defaultVerdict",
    tests: ["test/limiter/outage-rows"],
  },
  {
    name: "in an outage a policy that is open has no units",
    file: "src/limiter/failure.ts",
    find: "allowed: true, remaining: limit",
    replace: "allowed: true, remaining: 0",
    tests: ["test/limiter/outage-rows"],
  },
];
