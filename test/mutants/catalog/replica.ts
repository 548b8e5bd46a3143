import type { Written } from "../written.ts";

/** Denials by a replica. */
export const REPLICA: readonly Written[] = [
  {
    name: "a denial of a replica is dated too late",
    file: "src/features/replica/step.ts",
    find: "const decidedAtMs = earliestMs(bound, latestUs);",
    replace: "const decidedAtMs = earliestMs(bound, latestUs) + 200;",
    tests: ["test/replica/schedules"],
  },
  {
    name: "a replica denies for policies whose units come back",
    file: "src/features/replica/step.ts",
    find: "!refundable && leaseUs",
    replace: "leaseUs",
    tests: ["test/replica/real-replica"],
  },
  {
    name: "a replica denies while this isolate holds units",
    file: "src/features/replica/step.ts",
    find: " && leaseUs === undefined",
    replace: "",
    tests: ["test/replica/real-replica"],
  },
  {
    name: "a replica is believed before the primary has confirmed it",
    file: "src/features/replica/step.ts",
    find: "if (trust.believes(now()))",
    replace: "if (trust.asks(now()))",
    tests: ["test/replica/real-replica"],
  },
  {
    name: "a replica that was wrong is asked again at once",
    file: "src/features/replica/trust.ts",
    find: "distrustedUntilMs = nowMs + DISTRUST_MS;",
    replace: "distrustedUntilMs = nowMs;",
    tests: ["test/replica/real-replica"],
  },
  {
    name: "the replica is asked about a partition that this isolate has reset",
    file: "src/features/replica/partitions.ts",
    find: "setRecent(resets, partition, nowMs + LAG_MS, MAX_RESETS);",
    replace: "",
    tests: ["test/replica"],
  },
  {
    name: "every request of a client waits for the replica",
    file: "src/features/replica/partitions.ts",
    find: "roomy.set(partition, [nowMs]);",
    replace: "roomy.set(partition, [-Infinity]);",
    tests: ["test/replica"],
  },
  {
    name: "a state of other numbers is read as it is",
    file: "lua/replica.lua",
    find: "local pass, cost, row = 'ask',",
    replace: "local pass, cost, row = 'peek',",
    tests: ["test/replica/schedules", "test/replica/script"],
  },
  {
    name: "a script repairs the state of a replica",
    file: "src/features/replica/replica.ts",
    find: "SET|SETRANGE|PEXPIREAT",
    replace: "SETRANGE|PEXPIREAT",
    tests: ["test/replica/script"],
  },
  {
    name: "a replica that fails is asked for ever",
    file: "src/features/replica/step.ts",
    find: "breaker.failed(now());",
    replace: "",
    tests: ["test/replica/real-replica"],
  },
  {
    name: "a denial of a replica is not remembered",
    file: "src/features/replica/step.ts",
    find: "denials.learn(partition, costs, decidedAtMs, { nowUs: latestUs, rows }, wasDenied);\n      const found = denials.find(partition, costs, now());",
    replace:
      "denials.learn(partition, costs, decidedAtMs, { nowUs: latestUs, rows }, wasDenied);\n      const found = denials.find(partition, costs, now());\n      denials.drop(partition);",
    tests: ["test/replica/real-replica"],
  },
  {
    name: "a ban does not count denials of a replica",
    file: "src/decision/outcome.ts",
    find: 'return reason === "cached-denial" || reason === "replica-denial";',
    replace: 'return reason === "cached-denial";',
    tests: ["test/replica/real-replica"],
  },
];
