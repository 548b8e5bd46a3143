import type { Mutant } from "./mutant.ts";

/** What is waited for, and what is left behind when it ends. */
export const TIMERS: readonly Mutant[] = [
  {
    name: "a timer outlives its decision",
    file: "src/limiter/within.ts",
    find: "clearTimeout(timer);",
    replace: "",
    tests: ["test/limiter/within"],
  },
  {
    name: "a timer is a millisecond late",
    file: "src/limiter/within.ts",
    find: "setTimeout(() => resolve(LATE), milliseconds)",
    replace: "setTimeout(() => resolve(LATE), milliseconds + 1)",
    tests: ["test/limiter/within"],
  },
  {
    name: "the end of an older single flight ends the younger",
    file: "src/limiter/probes.ts",
    find: "if (probes.get(partition) === probe) probes.delete(partition);",
    replace: "probes.delete(partition);",
    tests: ["test/limiter/probes-ends"],
  },
  {
    name: "a single flight that failed is never over",
    file: "src/limiter/probes.ts",
    find: "        end();\n",
    replace: "",
    tests: ["test/limiter/probes-ends"],
  },
  {
    name: "requests wait twice as long for another",
    file: "src/limiter/probes.ts",
    find: "PATIENCE = 150",
    replace: "PATIENCE = 300",
    tests: ["test/limiter/probes-ends"],
  },
  {
    name: "single flights without bound",
    file: "src/limiter/probes.ts",
    find: "putLast(probes, partition, probe, MAX_PROBES);",
    replace: "probes.set(partition, probe);",
    tests: ["test/limiter/probes-ends"],
  },
  {
    name: "the first entry to go is the one used last",
    file: "src/put-last.ts",
    find: "map.delete(key);\n",
    replace: "",
    tests: ["test/runtime/put-last"],
  },
  {
    name: "a map holds one entry less than it may",
    file: "src/put-last.ts",
    find: "map.size > most",
    replace: "map.size >= most",
    tests: ["test/runtime/put-last"],
  },
  {
    name: "the reset is told as of when it is asked for",
    file: "src/limiter/decision.ts",
    find: "decisionHeaders(this, now,",
    replace: "decisionHeaders(this, Date.now() * 1000,",
    tests: ["test/http/fields"],
  },
];
