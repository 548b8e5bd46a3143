/** A small way to break the product, and the tests that must notice. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Files of tests, as vitest takes them. */
  readonly tests: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
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
    name: "fixed window: one unit too few",
    file: "lua/algorithms/fixed-window.lua",
    find: "used + cost <= limit and",
    replace: "used + cost < limit and",
    tests: ["test/lua/model"],
  },
  {
    name: "fixed window: forgotten TTL",
    file: "lua/algorithms/fixed-window.lua",
    find: "redis.call('PEXPIREAT', key, math.floor(ends / 1000) + 1)",
    replace: "",
    tests: ["test/lua/model"],
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
    find: "local carried = previous * (ticks - elapsed)",
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
    find: "units.length + cost <= limit",
    replace: "units.length + cost <= limit + 1",
    tests: ["test/model", "test/lua/model"],
  },
  {
    name: "a denial is anchored when the answer arrives",
    file: "src/limiter/limiter.ts",
    find: 'denials.learn(partition, operation === "charge" ? 1 : cost, sentAt, rows)',
    replace: 'denials.learn(partition, operation === "charge" ? 1 : cost, now(), rows)',
    tests: ["test/limiter/shadow"],
  },
  {
    name: "a denial says nothing about its cost",
    file: "src/limiter/denial-cache.ts",
    find: "denial === undefined || cost < denial[0]!",
    replace: "denial === undefined",
    tests: ["test/limiter/denial-cache", "test/limiter/redis-knowledge"],
  },
  {
    name: "no margin for drift",
    file: "src/limiter/denial-cache.ts",
    find: "const DRIFT = 5e-4",
    replace: "const DRIFT = 0",
    tests: ["test/limiter/denial-cache"],
  },
  {
    name: "the denial cache grows without bound",
    file: "src/limiter/denial-cache.ts",
    find: "if (known.size > maxEntries)",
    replace: "if (known.size < 0)",
    tests: ["test/limiter/denial-cache"],
  },
  {
    name: "an answer from before a reset brings the denial back",
    file: "src/limiter/denial-cache.ts",
    find: "|| sentAt <= forgotAt",
    replace: "",
    tests: ["test/limiter/denial-cache"],
  },
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
    find: "await Promise.race([ask(), timeout])",
    replace: "await ask()",
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
    name: "a partition can close the hash tag",
    file: "src/partition/partition-key.ts",
    find: "[^A-Za-z0-9._~@:/+=,|-]",
    replace: "[^A-Za-z0-9._~@:/+=,|{}-]",
    tests: ["test/partition/partition-key"],
  },
  {
    name: "IPv6 without its mask",
    file: "src/partition/ip-address.ts",
    find: ".slice(0, 4)",
    replace: ".slice(0, 8)",
    tests: ["test/partition"],
  },
  {
    name: "forwarded addresses counted from the left",
    file: "src/partition/client-ip.ts",
    find: ".at(-trusted.trustedHops)",
    replace: ".at(trusted.trustedHops - 1)",
    tests: ["test/partition"],
  },
  {
    name: "Retry-After rounded down",
    file: "src/http/fields.ts",
    find: "return Math.ceil(milliseconds / 1000);",
    replace: "return Math.floor(milliseconds / 1000);",
    tests: ["test/http"],
  },
  {
    name: "an origin's RateLimit fields are overwritten",
    file: "src/adapter/append-fields.ts",
    find: "headers.append(name, value)",
    replace: "headers.set(name, value)",
    tests: ["test/hono", "test/gateway/proxy-fields"],
  },
  {
    name: "a second slash goes past a rule",
    file: "src/worker/path.ts",
    find: 'segment !== ""',
    replace: "true",
    tests: ["test/gateway/paths"],
  },
];
