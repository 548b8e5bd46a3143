import type { Mutant } from "./mutant.ts";

/** How requests are counted: the scripts and their models. */
export const COUNTING: readonly Mutant[] = [
  {
    name: "token bucket: one unit too many",
    file: "lua/algorithms/token-bucket.lua",
    find: "used + taken <= capacity and",
    replace: "used + taken <= capacity + interval and",
    tests: ["test/lua/model"],
  },
  {
    name: "token bucket: no clamp after the clock went back",
    file: "lua/algorithms/token-bucket.lua",
    find: "elseif used > 2 * capacity then",
    replace: "elseif false then",
    tests: ["test/lua/model"],
  },
  {
    name: "token bucket: a key that is only ever incremented",
    file: "lua/algorithms/token-bucket.lua",
    find: "if before == 0 or divisor > 1 or (now + before) % capacity + used - before >= capacity",
    replace: "if before == 0 or divisor > 1",
    tests: ["test/lua/expiry"],
  },
  {
    name: "fixed window: one unit too few",
    file: "lua/algorithms/fixed-window.lua",
    find: "used + cost <= limit and",
    replace: "used + cost < limit and",
    tests: ["test/lua/model"],
  },
  {
    name: "fixed window: forgotten TTL",
    file: "lua/algorithms/fixed-window.lua",
    find: "redis.call('SET', key, bytes, 'PXAT', math.floor(ends / 1000) + 1)",
    replace: "redis.call('SET', key, bytes)",
    tests: ["test/lua/expiry"],
  },
  {
    name: "log: a unit leaves a microsecond early",
    file: "lua/algorithms/sliding-window-log.lua",
    find: "until oldest > time or",
    replace: "until oldest > time + 1 or",
    tests: ["test/lua/model"],
  },
  {
    name: "counter: the previous window weighs nothing",
    file: "lua/algorithms/sliding-window-counter.lua",
    find: "local carried = previous * (ticks - (elapsed - elapsed % tick) / tick)",
    replace: "local carried = 0",
    tests: ["test/lua/model"],
  },
  {
    name: "segmented window: a segment leaves one too early",
    file: "lua/algorithms/segmented-window.lua",
    find: "if passed and passed <= segments then",
    replace: "if passed and passed < segments then",
    tests: ["test/lua/model"],
  },
  {
    name: "several policies: the first takes before the last has spoken",
    file: "lua/decide.lua",
    find: "(step < last or not all_allowed)",
    replace: "false",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a reset leaves the counts",
    file: "lua/decide.lua",
    find: "redis.call('DEL', unpack(KEYS))",
    replace: "",
    tests: ["test/store/redis-store"],
  },
  {
    name: "the model is off by one",
    file: "src/store/memory/sliding-window-log.ts",
    find: "used + cost <= limit",
    replace: "used + cost <= limit + 1",
    tests: ["test/model", "test/lua/model"],
  },
  {
    name: "a lease does not heed the last policy",
    file: "lua/lease.lua",
    find: "if pass == 'peek' then",
    replace: "if pass == 'peek' and step < last then",
    tests: ["test/lua/lease"],
  },
];
