import type { Written } from "../written.ts";

/** Roles, shards, plans, lists and other features of a limiter. */
export const FEATURES: readonly Written[] = [
  {
    name: "a shard's hold is settled by the one that denied",
    file: "src/features/shards/step.ts",
    find: "other.status === 200 || waitUs(other) < waitUs(own) ? { ...other, slot } : own",
    replace: "other.status === 200 ? { ...other, slot, groups: own.groups } : own",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "waits: all requests of a moment ask whether the ban is full",
    file: "src/features/roles/waiting-denials.ts",
    find: "{ count: 0, countedHere: 0, room: Infinity });",
    replace: "{ count: 0, countedHere: 0 });",
    tests: ["test/limiter/waiting-denials"],
  },
  {
    name: "waits: a ban grows by what is denied while it holds",
    file: "src/features/roles/waiting-denials.ts",
    find: "if (waiting.room === 0) return;",
    replace: "",
    tests: ["test/limiter/waiting-denials"],
  },
  {
    name: "waits: denials of a call that was not sent are lost",
    file: "src/features/roles/step.ts",
    find: "batch?.putBack();",
    replace: "batch?.count;",
    tests: ["test/limiter/waiting-denials"],
  },
  {
    name: "spread charges: one shard carries all",
    file: "src/features/shards/step.ts",
    find: "next(spread(asked))",
    replace: "next(inEach(asked, choose(asked).shards))",
    tests: ["test/limiter/sharding"],
  },
  {
    name: "a shared cache that fails breaks the decision",
    file: "src/features/shared-denials/shared-denials.ts",
    find: "kept))().catch(() => {});",
    replace: "kept))();",
    tests: ["test/denials/shared-denials-put"],
  },
  {
    name: "a shared denial is dated by when it is read",
    file: "src/features/shared-denials/shared-denials.ts",
    find: "earliestMs(bound, redisNowUs)",
    replace: "now()",
    tests: ["test/denials/shared-shadow"],
  },
  {
    name: "a shared denial from the future is believed",
    file: "src/features/shared-denials/shared-denials.ts",
    find: "&& redisNowUs < latestUs()",
    replace: "",
    tests: ["test/denials/shared-denials"],
  },
  {
    name: "denials are shared across prefixes",
    file: "src/features/shared-denials/shared-denials.ts",
    find: "`${prefix}:${JSON.stringify(",
    replace: "`:${JSON.stringify(",
    tests: ["test/denials/shared-denials-put"],
  },
  {
    name: "a client on both lists is refused",
    file: "src/lists/lists.ts",
    find: 'const [allows, denies] = [compile("allow"), compile("deny")];',
    replace: 'const [denies, allows] = [compile("allow"), compile("deny")];',
    tests: ["test/lists/lists"],
  },
  {
    name: "a plan may name policies that do not exist",
    file: "src/features/plans/plans.ts",
    find: "filter(([name]) => !names.has(name))",
    replace: "filter(() => false)",
    tests: ["test/policy/configuration"],
  },
];
