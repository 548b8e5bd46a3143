import type { Written } from "../written.ts";

/** Counts and verdicts without Redis. */
export const OUTAGE: readonly Written[] = [
  {
    name: "a watched body that is cancelled leaves its source running",
    file: "src/runtime/watch-body.ts",
    find: "return reader.cancel(reason).finally(() => end(false));",
    replace: "return end(false);",
    tests: ["test/runtime/watch-body"],
  },
  {
    name: "a clock leaps less than a denial is trusted",
    file: "src/runtime/clock.ts",
    find: "const JUMP_MS = 120_000;",
    replace: "const JUMP_MS = 59_000;",
    tests: ["test/runtime/clock.test", "test/limiter/clock-steps"],
  },
  {
    name: "an outage begins with a fresh quota",
    file: "src/outage/local-counts.ts",
    find: "if (!last) return own;",
    replace: "if (last || !last) return own;",
    tests: ["test/limiter/local-count"],
  },
];
