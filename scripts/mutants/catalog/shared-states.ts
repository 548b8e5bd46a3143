import type { Written } from "../written.ts";

/** Settings of one fixed window or one concurrency that are alive at once and share a state. */
export const SHARED_STATES: readonly Written[] = [
  {
    name: "shared states: another length of a fixed window starts the count anew",
    file: "src/algorithms/fixed-window.ts",
    find: "} else if (onGrid && counted !== setting) {",
    replace: "} else if (onGrid && counted !== setting && (used = 0) === 0) {",
    tests: ["test/model/two-fixed-windows"],
  },
  {
    name: "shared states: a setting of a concurrency gives one slot too many",
    file: "src/algorithms/concurrency.ts",
    find: "slots.length < limit;",
    replace: "slots.length <= limit;",
    tests: ["test/model/two-concurrencies"],
  },
  {
    name: "shared states: a shorter ttl ends the slots of other settings",
    file: "src/algorithms/concurrency.ts",
    find: "{ ...each, expiresUs: boundUs }",
    replace: "{ ...each, expiresUs: nowUs }",
    tests: ["test/model/two-concurrencies"],
  },
];
