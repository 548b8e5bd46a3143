import type { Written } from "../written.ts";

const TESTS = ["test/limiter/sharding"];

/** Charges and shares of policies with shards. */
export const SPREAD_CHARGES: readonly Written[] = [
  {
    name: "spread charges: one shard carries all",
    file: "src/features/shards/step.ts",
    find: "next(spread(asked))",
    replace: "next(inEach(asked, choose(asked).shards))",
    tests: TESTS,
  },
  {
    name: "spread charges: what is left after equal parts is charged to nobody",
    file: "src/features/shards/step.ts",
    find: "Math.floor(cost / length) + Number(turn < cost % length)",
    replace: "Math.floor(cost / length)",
    tests: TESTS,
  },
  {
    name: "spread charges: a settlement charges the shard of its reservation",
    file: "src/features/holds/settle.ts",
    find: "[{ ...(asked.whole ?? asked), costs: more }]",
    replace: "[{ ...asked, costs: more }]",
    tests: TESTS,
  },
  {
    name: "a share is rounded up by each shard",
    file: "src/outage/local-share.ts",
    find: "scalePolicy(policy.whole ?? policy, share)",
    replace: "scalePolicy(policy, share)",
    tests: TESTS,
  },
  {
    name: "spread charges: after a part that was not sent, all parts are sent again",
    file: "src/features/holds/settle.ts",
    find: "const unsent = failed.filter(({ error }) => isNotAsked(error!));",
    replace: "const unsent = failed.length > 0 ? all : [];",
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "spread charges: a part of which nothing is known is sent again",
    file: "src/features/holds/settle.ts",
    find: "const unsent = failed.filter(({ error }) => isNotAsked(error!));",
    replace: "const unsent = failed;",
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "spread charges: what is left is charged to the first shard alone",
    file: "src/features/holds/settle.ts",
    find: "    const whole = asked.whole ?? asked;\n",
    replace: "    const whole = asked;\n",
    tests: ["test/limiter/spread-settlements"],
  },
];
