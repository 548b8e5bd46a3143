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
    file: "src/runtime/time.ts",
    find: "const JUMP_MS = 120_000;",
    replace: "const JUMP_MS = 59_000;",
    tests: ["test/runtime/clock.test", "test/limiter/clock-steps"],
  },
  {
    name: "an outage begins with a fresh quota",
    file: "src/decide/local-counts.ts",
    find: "there: last?.[local.indexOf(i)],",
    replace: "there: last && undefined,",
    tests: ["test/limiter/local-count"],
  },
  {
    name: "a window of an outage is as long as the clock stepped back",
    file: "src/decide/local-units.ts",
    find: "if (sinceUs > nowUs) set(key, nowUs, used);",
    replace: "",
    tests: ["test/simulator"],
  },
  {
    name: "a shard bears none of the units of an outage",
    file: "src/decide/local-rows.ts",
    find: "const part = Math.ceil(here.used",
    replace: "const part = Math.ceil(0 * here.used",
    tests: ["test/limiter/local-counts-go-on"],
  },
];
