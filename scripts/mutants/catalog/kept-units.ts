import type { Mutant } from "../mutant.ts";

const LUA = "lua/algorithms/token-bucket.lua";
const MODEL = "src/algorithms/token-bucket.ts";

/** A token bucket that keeps units when its rate changes. */
export const KEPT_UNITS: readonly Mutant[] = [
  {
    name: "kept units: the state does not say at which rate it was written",
    file: LUA,
    find: "and '%s%.0f:%.0f-/%.0f/%.0f' or '%s%.0f:%.0f/%.0f/%.0f'",
    replace: "and '%s%.0f:%.0f-' or '%s%.0f:%.0f'",
    tests: ["test/lua/model"],
  },
  {
    name: "kept units: a debt does not say at which rate it was written",
    file: LUA,
    find: "%s%.0f:%.0f-/%.0f/%.0f",
    replace: "%s%.0f:%.0f-",
    tests: ["test/lua/model"],
  },
  {
    name: "kept units: a bucket that keeps time counts units",
    file: LUA,
    find: "      if ttl + 0 < 0 then\n        old_interval",
    replace: "      if true then\n        old_interval",
    tests: ["test/lua/model"],
  },
  {
    name: "kept units: another divisor is the same rate",
    file: LUA,
    find: " or old_divisor ~= divisor)",
    replace: ")",
    tests: ["test/lua/model"],
  },
  {
    name: "kept units: the time since the last write refills at the new rate",
    file: LUA,
    find: "(tat - now) * old_divisor + rest",
    replace: "(tat - now) * divisor + rest",
    tests: ["test/lua/model"],
  },
  {
    name: "kept units: part of a unit is rounded down",
    file: LUA,
    find: "math.min(math.ceil(part), interval)",
    replace: "math.floor(part)",
    tests: ["test/lua/model"],
  },
  {
    name: "kept units: the old rate goes on until units are taken",
    file: LUA,
    find: "repaired = rest > 0",
    replace: "repaired = false",
    tests: ["test/lua/cost", "test/lua/model"],
  },
  {
    name: "kept units: the key does not live as long as it counts",
    file: LUA,
    find: "milliseconds = -ttl",
    replace: "milliseconds = -ttl / 4",
    tests: ["test/lua/expiry"],
  },
  {
    name: "kept units: the model keeps time",
    file: MODEL,
    find: "keepsUnits ? state : {}",
    replace: "keepsUnits ? {} : {}",
    tests: ["test/model/kept-units"],
  },
  {
    name: "kept units: the model rounds part of a unit down",
    file: MODEL,
    find: "Math.min(Math.ceil(part), toIntervalUs)",
    replace: "Math.floor(part)",
    tests: ["test/model/kept-units"],
  },
  {
    name: "kept units: the model rounds part of a unit up beyond one",
    file: MODEL,
    find: "Math.min(Math.ceil(part), toIntervalUs)",
    replace: "Math.ceil(part) + 1",
    tests: ["test/model/kept-units"],
  },
  {
    name: "kept units: the model lets the old rate go on until units are taken",
    file: MODEL,
    find: " || (changed && used > 0)",
    replace: "",
    tests: ["test/model/kept-units"],
  },
  {
    name: "kept units: the model forgets the units of the old rate",
    file: MODEL,
    find: "if (changed) used = convert(used, written.intervalUs, intervalUs);",
    replace: "if (changed) used = 0;",
    tests: ["test/model/kept-units"],
  },
  {
    name: "kept units: a whole divisor is incremented",
    file: MODEL,
    find: "const factor = divisor === 1 ? 2 : 1;",
    replace: "const factor = 1;",
    tests: ["test/policy/compiled"],
  },
  {
    name: "kept units: no policy does",
    file: "src/policy/compile.ts",
    find: "keepUnits ? completePolicy(policy, keepUnits(policy)) : policy",
    replace: "keepUnits ? policy : policy",
    tests: ["test/model/kept-units"],
  },
  {
    name: "kept units: a tightened bucket does not",
    file: MODEL,
    find: "return quotaOf(limit - Math.ceil((leaseUs * divisor) / intervalUs), parameters);",
    replace:
      "return quotaOf(limit - Math.ceil((leaseUs * divisor) / intervalUs), { intervalUs, divisor });",
    tests: ["test/lease/tighten"],
  },
  {
    name: "kept units: a bucket that keeps units never gives back",
    file: "lua/algorithms/token-bucket.lua",
    find: "if rate == '' or rate == string.format('/%.0f/%.0f', interval, divisor) then",
    replace: "if rate == '' then",
    tests: ["test/lua/refund-kept-units"],
  },
  {
    name: "kept units: a bucket gives back at a rate that has changed",
    file: "lua/algorithms/token-bucket.lua",
    find: "if rate == '' or rate == string.format('/%.0f/%.0f', interval, divisor) then",
    replace: "if rate then",
    tests: ["test/lua/refund-kept-units"],
  },
  {
    name: "kept units: a bucket that gave back does not say at which rate",
    file: "lua/algorithms/token-bucket.lua",
    find: "(used - fraction) / divisor, fraction) .. rate",
    replace: "(used - fraction) / divisor, fraction)",
    tests: ["test/lua/refund-kept-units"],
  },
  {
    name: "kept units: a bucket that gave back loses its fraction of 0",
    file: "lua/algorithms/token-bucket.lua",
    find: "(fraction > 0 or rate ~= '') and",
    replace: "fraction > 0 and",
    tests: ["test/lua/refund-kept-units"],
  },
];
