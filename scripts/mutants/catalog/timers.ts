import type { Written } from "../written.ts";

/** What is waited for, and what is left behind when it ends. */
export const TIMERS: readonly Written[] = [
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
    find: "setTimeout(() => resolve(TIMED_OUT), ms)",
    replace: "setTimeout(() => resolve(TIMED_OUT), ms + 1)",
    tests: ["test/runtime/timeout"],
  },
  {
    name: "the end of an older single flight ends the younger",
    file: "src/denials/single-flight.ts",
    find: "if (flights.get(partition) === flight) flights.delete(partition);",
    replace: "flights.delete(partition);",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "a single flight that failed is never over",
    file: "src/denials/single-flight.ts",
    find: "        flight.room.letGoOn();\n",
    replace: "",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "requests wait twice as long for another",
    file: "src/denials/single-flight.ts",
    find: "PATIENCE_MS = 150",
    replace: "PATIENCE_MS = 300",
    tests: ["test/denials/single-flight-ends"],
  },
  {
    name: "single flights without bound",
    file: "src/denials/single-flight.ts",
    find: "setRecent(flights, partition, flight, MAX_FLIGHTS);",
    replace: "flights.set(partition, flight);",
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
    find: "map.size > maxEntries",
    replace: "map.size >= maxEntries",
    tests: ["test/runtime/lru"],
  },
  {
    name: "the reset is told as of when it is asked for",
    file: "src/decision/fields.ts",
    find: "Math.round(nowUs + resetAfterUs)",
    replace: "Math.round(Date.now() * 1000 + resetAfterUs)",
    tests: ["test/decision/fields"],
  },
];
