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
  {
    name: "spread charges: after a part that was not sent, all parts are sent again",
    file: "src/limiter/settle.ts",
    find: "{ done: part.costs, unsent: units.map(() => 0), failures: [] }",
    replace: "{ done: part.costs, unsent: part.costs, failures: [] }",
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "spread charges: a part of which nothing is known is sent again",
    file: "src/limiter/settle.ts",
    find: 'return { done: sum("done"), unsent: sum("unsent"), failures };',
    replace:
      'return { done: sum("done"), unsent: units.map((all, i) => all - sum("done")[i]!), failures };',
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "spread charges: a hold of a partial outage forgets that its policy has shards",
    file: "src/limiter/selection.ts",
    find: "whole: whole && partOf(whole, indices),",
    replace: "",
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "spread charges: what is left is charged to the first shard alone",
    file: "src/limiter/sharding.ts",
    find: "    chargeStore,\n",
    replace: "    chargeStore: path.chargeStore,\n",
    tests: ["test/limiter/spread-settlements"],
  },
];
