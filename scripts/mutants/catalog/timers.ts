import type { Mutant } from "../mutant.ts";

/** What is waited for, and what is left behind when it ends. */
export const TIMERS: readonly Mutant[] = [
  {
    name: "a timer outlives its decision",
    file: "src/runtime/timeout.ts",
    find: "clearTimeout(timer);",
    replace: "",
    tests: ["test/runtime/timeout"],
  },
  {
    name: "a timer is a millisecond late",
    file: "src/runtime/timeout.ts",
    find: "setTimeout(() => resolve(TIMED_OUT), milliseconds)",
    replace: "setTimeout(() => resolve(TIMED_OUT), milliseconds + 1)",
    tests: ["test/runtime/timeout"],
  },
  {
    name: "the end of an older single flight ends the younger",
    file: "src/denials/single-flight.ts",
    find: "if (probes.get(partition) === probe) probes.delete(partition);",
    replace: "probes.delete(partition);",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "a single flight that failed is never over",
    file: "src/denials/single-flight.ts",
    find: "        end();\n",
    replace: "",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "requests wait twice as long for another",
    file: "src/denials/single-flight.ts",
    find: "PATIENCE = 150",
    replace: "PATIENCE = 300",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "single flights without bound",
    file: "src/denials/single-flight.ts",
    find: "setRecent(probes, partition, probe, MAX_PROBES);",
    replace: "probes.set(partition, probe);",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "the first entry to go is the one used last",
    file: "src/runtime/lru.ts",
    find: "map.delete(key);\n",
    replace: "",
    tests: ["test/runtime/lru"],
  },
  {
    name: "a map holds one entry less than it may",
    file: "src/runtime/lru.ts",
    find: "map.size > most",
    replace: "map.size >= most",
    tests: ["test/runtime/lru"],
  },
  {
    name: "the reset is told as of when it is asked for",
    file: "src/decision/create-decision.ts",
    find: "decisionHeaders(this, nowUs,",
    replace: "decisionHeaders(this, Date.now() * 1000,",
    tests: ["test/decision/fields"],
  },
];
