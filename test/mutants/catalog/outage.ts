import type { Written } from "../written.ts";

/** Counts and verdicts without Redis. */
export const OUTAGE: readonly Written[] = [
  {
    name: "a watched body that is cancelled leaves its source running",
    file: "src/runtime/watch-body.ts",
    find: "return reader.cancel(reason).finally(end);",
    replace: "return end();",
    tests: ["test/runtime/watch-body"],
  },
  {
    name: "a share is rounded up by each shard",
    file: "src/outage/local-share.ts",
    find: "scalePolicy(policy.unsharded ?? policy, share)",
    replace: "scalePolicy(policy, share)",
    tests: ["test/limiter/sharding"],
  },
  {
    name: "a reset leaves what was counted in an outage",
    file: "src/outage/local-counts.ts",
    find: "memory.reset(localIn(policies).map((i) => localKeyOf(policies[i]!, keys[i]!)));",
    replace: "",
    tests: ["test/limiter/reset"],
  },
  {
    name: "the breaker never opens",
    file: "src/runtime/breaker.ts",
    find: "const THRESHOLD = 5",
    replace: "const THRESHOLD = Infinity",
    tests: ["test/runtime/breaker"],
  },
  {
    name: "a clock leaps less than a denial is trusted",
    file: "src/runtime/clock.ts",
    find: "const JUMP_MS = 120_000;",
    replace: "const JUMP_MS = 59_000;",
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
    name: "an outage begins with a fresh quota",
    file: "src/outage/local-counts.ts",
    find: "if (!last) return own;",
    replace: "if (last || !last) return own;",
    tests: ["test/limiter/local-count"],
  },
  {
    name: "a policy that Redis said was used up is used up now",
    file: "src/outage/local-counts.ts",
    find: "charge(Math.min(atUs, nowUs), ",
    replace: "charge(nowUs, ",
    tests: ["test/limiter/local-count"],
  },
  {
    name: "an answer is fresh more than once",
    file: "src/outage/last-answers.ts",
    find: "numbers[at + 3] = FOUND;",
    replace: "",
    tests: ["test/limiter/local-count"],
  },
  {
    name: "every isolate has the whole limit",
    file: "src/outage/local-share.ts",
    find: "share === 1",
    replace: "share > 0",
    tests: ["test/limiter/local-share"],
  },
  {
    name: "a watcher that throws leaves the source running",
    file: "src/runtime/watch-body.ts",
    find: "reader.cancel(error).catch(() => {});",
    replace: "",
    tests: ["test/runtime/watch-body"],
  },
  {
    name: "what happens to requests is logged with each of them",
    file: "src/runtime/log.ts",
    find: "quietUntilMs = now() + PAUSE_MS;",
    replace: "",
    tests: ["test/runtime/log"],
  },
];
