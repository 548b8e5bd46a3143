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
    name: "a replica is believed before the primary has confirmed it",
    file: "src/features/replica/step.ts",
    find: "if (trust.believes(now()))",
    replace: "if (trust.asks(now()))",
    tests: ["test/replica/real-replica"],
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
    name: "a denial of a replica is not remembered",
    file: "src/features/replica/step.ts",
    find: "denials.learn(partition, costs, decidedAtMs, { nowUs: latestUs, rows }, wasDenied);\n      const found = denials.find(partition, costs, now());",
    replace:
      "denials.learn(partition, costs, decidedAtMs, { nowUs: latestUs, rows }, wasDenied);\n      const found = denials.find(partition, costs, now());\n      denials.drop(partition);",
    tests: ["test/replica/real-replica"],
  },
];
