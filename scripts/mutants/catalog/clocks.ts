import type { Written } from "../written.ts";

/** What an isolate dates, and by which clock. */
export const CLOCKS: readonly Written[] = [
  {
    name: "a clock leaps less than a denial is trusted",
    file: "src/runtime/clock.ts",
    find: "const JUMP_MS = 120_000;",
    replace: "const JUMP_MS = 59_000;",
    tests: ["test/runtime/clock.test", "test/limiter/clock-steps"],
  },
  {
    name: "a clock leaps by every tremor",
    file: "src/runtime/clock.ts",
    find: "const TOLERANCE_MS = 10;",
    replace: "const TOLERANCE_MS = 0;",
    tests: ["test/runtime/clock.test"],
  },
  {
    name: "a clock does not jump by a second",
    file: "src/runtime/clock.ts",
    find: "const TOLERANCE_MS = 10;",
    replace: "const TOLERANCE_MS = 1_000;",
    tests: ["test/runtime/clock.test", "test/limiter/clock-steps"],
  },
  {
    name: "a clock that went back stands until it has caught up",
    file: "src/runtime/clock.ts",
    find: "ahead += last - time;",
    replace: "",
    tests: ["test/runtime/clock.test"],
  },
  {
    name: "a clock that went back goes on from where it was",
    file: "src/runtime/clock.ts",
    find: "last += jump;",
    replace: "",
    tests: ["test/runtime/clock.test", "test/limiter/clock-steps"],
  },
  {
    name: "a known denial is told as of when it was learnt",
    file: "src/denials/denial-cache.ts",
    find: 'return { state: "denied", nowUs: known[at + 1]! + elapsedUs, rows };',
    replace: 'return { state: "denied", nowUs: known[at + 1]!, rows };',
    tests: ["test/decision/reset-moment", "test/denials/denial-cache"],
  },
  {
    name: "a known denial's moment is the isolate's",
    file: "src/denials/denial-cache.ts",
    find: "const denial = [decidedAtMs, redisNowUs];",
    replace: "const denial = [decidedAtMs, decidedAtMs * 1000];",
    tests: ["test/decision/reset-moment", "test/denials/denial-cache"],
  },
  {
    name: "a denial waits for its first policy alone",
    file: "src/denials/denial-cache.ts",
    find: "if (rowWaitUs > waitUs) waitUs = rowWaitUs;",
    replace: "waitUs ||= rowWaitUs;",
    tests: ["test/denials/denial-cache"],
  },
  {
    name: "a denial's wait is the time until all is reset",
    file: "src/denials/denial-cache.ts",
    find: "const rowWaitUs = numbers[column + 2]!;",
    replace: "const rowWaitUs = numbers[column + 3]!;",
    tests: ["test/denials/denial-cache"],
  },
  {
    name: "two algorithms of one name share a key",
    file: "src/policy/compile.ts",
    find: "key: `${name}:${code}${",
    replace: "key: `${name}${",
    tests: ["test/denials/two-algorithms"],
  },
];
