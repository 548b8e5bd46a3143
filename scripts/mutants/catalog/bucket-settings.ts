import type { Written } from "../written.ts";

const LUA = "lua/algorithms/token-bucket.lua";
const MODEL = "src/algorithms/token-bucket.ts";
const BOTH = ["test/lua/model"];

/** Two settings of a token bucket that are alive at once. */
export const BUCKET_SETTINGS: readonly Written[] = [
  {
    name: "bucket settings: the state does not say with which setting it was written",
    file: LUA,
    find: "text .. flags .. kept, 'PX'",
    replace: "text .. flags .. setting, 'PX'",
    tests: BOTH,
  },
  {
    name: "bucket settings: the time since the last write refills at the new rate",
    file: LUA,
    find: "(tat - now) * old_divisor + math.min",
    replace: "(tat - now) * divisor + math.min",
    tests: BOTH,
  },
  {
    name: "bucket settings: part of a unit is rounded down",
    file: LUA,
    find: "math.min(math.ceil(part), interval)",
    replace: "math.floor(part)",
    tests: BOTH,
  },
  {
    name: "bucket settings: a denial leaves the old rate",
    file: LUA,
    find: "repaired = operation ~= 'peek'",
    replace: "repaired = false",
    tests: ["test/lua/cost", "test/lua/model"],
  },
  {
    name: "bucket settings: a peek writes the new rate",
    file: LUA,
    find: "repaired = operation ~= 'peek'",
    replace: "repaired = true",
    tests: BOTH,
  },
  {
    name: "bucket settings: a lower limit forgets what lies beyond it",
    file: LUA,
    find: "if used <= times * limit * old_interval then",
    replace: "if true then",
    tests: BOTH,
  },
  {
    name: "bucket settings: a charge under a lower limit takes nothing",
    file: LUA,
    find: "if operation == 'charge' then\n            times = 2",
    replace: "if operation == 'charge' then\n            times = 1",
    tests: BOTH,
  },
  {
    name: "bucket settings: a clock that went back is waited for under another setting",
    file: LUA,
    find: "if used > times * old_capacity then",
    replace: "if false then",
    tests: BOTH,
  },
  {
    name: "bucket settings: a cut debt is forgotten with the next write",
    file: LUA,
    find: "        flags = cut\n",
    replace: "",
    tests: ["test/lua/refund-settings"],
  },
  {
    name: "bucket settings: a bucket that was full remembers a cut debt",
    file: LUA,
    find: "used, flags = 0, ''\n    end",
    replace: "used = 0\n    end",
    tests: ["test/lua/refund-settings"],
  },
  {
    name: "bucket settings: the model forgets what lies beyond a lower limit",
    file: MODEL,
    find: "if (used > times * limit * intervalUs) return found;",
    replace: "",
    tests: ["test/model/two-settings", "test/model/plans"],
  },
  {
    name: "bucket settings: the model cuts the written time to its own bucket",
    file: MODEL,
    find: "used: convert(used, intervalUs, parameters.intervalUs),",
    replace: "used: Math.min(used, limit * parameters.intervalUs),",
    tests: ["test/model/two-settings"],
  },
  {
    name: "bucket settings: the model rounds part of a unit down",
    file: MODEL,
    find: "Math.min(Math.ceil(part), toIntervalUs)",
    replace: "Math.floor(part)",
    tests: ["test/model/plans"],
  },
  {
    name: "bucket settings: the model lets the old rate go on after a denial",
    file: MODEL,
    find: 'repaired: operation !== "peek",',
    replace: "repaired: false,",
    tests: ["test/model/plans"],
  },
  {
    name: "bucket settings: another divisor is the same setting",
    file: MODEL,
    find: "one.parameters.intervalUs === other.parameters.intervalUs &&\n    one.parameters.divisor === other.parameters.divisor",
    replace: "one.parameters.intervalUs === other.parameters.intervalUs",
    tests: BOTH,
  },
  {
    name: "bucket settings: the setting has no divisor",
    file: MODEL,
    find: "...(divisor === 1 ? [] : [divisor])",
    replace: "",
    tests: ["test/policy/compiled"],
  },
  {
    name: "bucket settings: a bucket gives back as if only its own rate had refilled it",
    file: LUA,
    find: "refilled = math.max(refilled, math.ceil(",
    replace: "refilled = math.min(refilled, math.ceil(",
    tests: ["test/lua/refund-settings"],
  },
  {
    name: "bucket settings: in memory, too",
    file: MODEL,
    find: "here : Math.max(here, own)",
    replace: "here : here",
    tests: ["test/lua/refund-settings"],
  },
  {
    name: "bucket settings: a bucket that gave back does not say how it was written",
    file: LUA,
    find: "redis.call('SET', key, text .. cut .. written, 'KEEPTTL')",
    replace: "redis.call('SET', key, text, 'KEEPTTL')",
    tests: ["test/lua/refund-settings"],
  },
];
