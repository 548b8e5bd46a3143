import type { Written } from "../written.ts";

const READ_STATE = { file: "src/live/read-state.ts", tests: ["test/live/clocks-ahead"] };
const REFRESH = { file: "src/live/refresh.ts", tests: ["test/live/refresh"] };
const HEALTH = { file: "src/gateway/health.ts", tests: ["test/gateway/health.test"] };
const SCRIPTS = ["test/metrics/scripts"];

/** What is read and told beside decisions: live rules, health, gauges, explanations and samples. */
export const REPORTING: readonly Written[] = [
  {
    ...REFRESH,
    name: "after its first answer an isolate waits for writes as long as for a first contact",
    find: "    timeoutMs = options.timeoutMs;\n",
    replace: "",
  },
  {
    ...REFRESH,
    name: "a write whose read gave no answer is said to be in force",
    find: "if (asked === TIMED_OUT) throw",
    replace: "if (asked !== TIMED_OUT && asked !== undefined) throw",
  },
  {
    ...READ_STATE,
    name: "a revision is believed whose clock is a week ahead",
    find: "const MAX_AHEAD_MS = 86_400_000;",
    replace: "const MAX_AHEAD_MS = 604_800_000;",
  },
  {
    ...READ_STATE,
    name: "a revision is believed only from a clock that is not ahead",
    find: "const MAX_AHEAD_MS = 86_400_000;",
    replace: "const MAX_AHEAD_MS = 0;",
  },
  {
    ...HEALTH,
    name: "health is degraded although the store is unavailable",
    find: 'known.status === "ok" && liveError() !== undefined;',
    replace: "liveError() !== undefined;",
  },
  {
    name: "the gauge of the breaker is 0 while it is half open",
    file: "src/gateway/administration/administer.ts",
    find: "isBreakerOpen: facts?.suspendedSlots !== undefined",
    replace: 'isBreakerOpen: facts?.breaker === "open"',
    tests: ["test/metrics/api"],
  },
  {
    name: "asking for quotas takes from what a library counts under the same name",
    file: "src/gateway/quota.ts",
    find: "`${defaults.prefix}:quota`",
    replace: "defaults.prefix",
    tests: ["test/gateway/quota"],
  },
  {
    name: "a request is explained as if it cost one unit",
    file: "src/gateway/administration/explain.ts",
    find: "await decideRequest(routed, limiter, LOOK)",
    replace:
      'await decideRequest(\n    routed.kind === "client" ? { ...routed, cost: {} } : routed,\n    limiter,\n    LOOK,\n  )',
    tests: ["test/metrics/explained-denials"],
  },
  {
    name: "an address that guessed tokens is told to come back too early",
    file: "src/admin/authorize.ts",
    find: "Math.ceil(retryAfterMs / 1000)",
    replace: "Math.floor(retryAfterMs / 1000)",
    tests: ["test/admin/authorize"],
  },
  {
    name: "of the partitions at the top those with the fewest counts stay",
    file: "lua/metrics/add.lua",
    find: "0, -201)",
    replace: "200, -1)",
    tests: SCRIPTS,
  },
  {
    name: "partitions at the top are as many as were ever there",
    file: "lua/metrics/add.lua",
    find: "0, -201)",
    replace: "0, -20001)",
    tests: SCRIPTS,
  },
  {
    name: "chunks of partitions that were dropped are kept",
    file: "lua/metrics/add.lua",
    find: "if tonumber(class) >= level then",
    replace: "if class then",
    tests: SCRIPTS,
  },
  {
    name: "a key that is larger than a reply is never read",
    file: "lua/metrics/read.lua",
    find: "if i > 1 and room < 0 then",
    replace: "if room < 0 then",
    tests: SCRIPTS,
  },
  {
    name: "writes that have ended are kept",
    file: "src/metrics/periodic-writes.ts",
    find: "    underWay.delete(writing);\n",
    replace: "",
    tests: ["test/metrics/stop"],
  },
  {
    name: "requests that Redis did not count are in the sample",
    file: "src/metrics/trace.ts",
    find: 'if (outcome.reason === "store-unavailable") return;',
    replace: "",
    tests: ["test/metrics/trace-outages"],
  },
  {
    name: "the sample has the limit of a shard",
    file: "src/metrics/trace.ts",
    find: "policy.whole ?? policy;",
    replace: "policy;",
    tests: ["test/metrics/what-if-api"],
  },
];
