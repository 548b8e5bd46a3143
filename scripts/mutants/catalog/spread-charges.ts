import type { Mutant } from "../mutant.ts";

const TESTS = ["test/limiter/sharding"];

/** Charges and shares of policies with shards. */
export const SPREAD_CHARGES: readonly Mutant[] = [
  {
    name: "spread charges: one shard carries all",
    file: "src/limiter/sharding.ts",
    find: 'operation === "charge"\n        ? charge(request)',
    replace: "false\n        ? charge(request)",
    tests: TESTS,
  },
  {
    name: "spread charges: what is left after equal parts is charged to nobody",
    file: "src/limiter/sharding.ts",
    find: "Math.floor(cost / length) + Number(turn < cost % length)",
    replace: "Math.floor(cost / length)",
    tests: TESTS,
  },
  {
    name: "spread charges: a policy without shards is charged by each shard of another",
    file: "src/limiter/sharding.ts",
    find: "return turn < length ? Math",
    replace: "return true ? Math",
    tests: TESTS,
  },
  {
    name: "spread charges: a settlement charges the shard of its reservation",
    file: "src/limiter/settle.ts",
    find: "costs: units, whole }",
    replace: "costs: units }",
    tests: TESTS,
  },
  {
    name: "a share is rounded up by each shard",
    file: "src/limiter/local-share.ts",
    find: "scalePolicy(policy.whole ?? policy, share)",
    replace: "scalePolicy(policy, share)",
    tests: TESTS,
  },
];
