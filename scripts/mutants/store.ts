import type { Mutant } from "./mutant.ts";

/** How Redis is asked, and what decides when it does not answer. */
export const STORE: readonly Mutant[] = [
  {
    name: "a consume is asked again after any error",
    file: "src/store/redis-store.ts",
    find: "const ran = !isMissingScript(error) && !isUnknownDialect(error);",
    replace: "const ran = false;",
    tests: ["test/store/redis-dialect"],
  },
  {
    name: "errors quote the command",
    file: "src/store/redis-error.ts",
    find: '.split(", command was:", 1)[0]!',
    replace: "",
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
];
