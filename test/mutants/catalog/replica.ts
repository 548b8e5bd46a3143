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
    name: "a bucket of another rate is read as it is",
    file: "lua/replica.lua",
    find: "KEYS[policy], values[policy], 'ask'",
    replace: "KEYS[policy], values[policy], 'peek'",
    tests: ["test/replica/schedules", "test/replica/script"],
  },
  {
    name: "a state that needs a repair is read on a replica",
    file: "lua/replica.lua",
    find: "  if bytes then\n    return redis.error_reply('REPAIR')\n  end\n",
    replace: "",
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
  {
    name: "resets beyond the first that was forgotten are no doubt",
    file: "src/features/replica/partitions.ts",
    find: "setRecent(resets, partition, nowMs + LAG_MS, MAX_RESETS)",
    replace: "resets.set(partition, nowMs + LAG_MS)",
    tests: ["test/replica/partitions"],
  },
];
