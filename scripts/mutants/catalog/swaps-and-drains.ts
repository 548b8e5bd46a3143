import type { Written } from "../written.ts";

/** What is in force after rules are swapped, and what is counted where flushes overlap or fail. */
export const SWAPS_AND_DRAINS: readonly Written[] = [
  {
    name: "other numbers of a plan leave the limiter as it is",
    file: "src/gateway/live/enforcement.ts",
    find: "[rules, plans, overrides.plans]",
    replace: "[rules, overrides.plans]",
    tests: ["test/live/in-force"],
  },
  {
    name: "a pattern of an override never ends",
    file: "src/gateway/rules/overrides.ts",
    find: "(each) => each.untilMs > nowMs && names",
    replace: "(each) => names",
    tests: ["test/live/in-force"],
  },
  {
    name: "of two patterns the shorter one decides",
    file: "src/gateway/rules/overrides.ts",
    find: "b.names.length - a.names.length",
    replace: "a.names.length - b.names.length",
    tests: ["test/live/in-force"],
  },
  {
    name: "a broken document that comes back is taken for one that is known",
    file: "src/gateway/live/enforcement.ts",
    find: "        refused = undefined;\n",
    replace: "",
    tests: ["test/live/in-force"],
  },
  {
    name: "the gauge of the configuration leaves out what reading shows",
    file: "src/gateway/administration/administer.ts",
    find: "(enforcement.error() ?? live?.error()) === undefined",
    replace: "enforcement.error() === undefined",
    tests: ["test/metrics/api"],
  },
  {
    name: "a flush takes away a batch that another one has not written",
    file: "src/metrics/recorder.ts",
    find: "if (pending[0] === batch) pending.shift();",
    replace: "pending.shift();",
    tests: ["test/metrics/recorder"],
  },
  {
    name: "a partition has the end of the key of the one before",
    file: "src/metrics/sketch.ts",
    find: "hints[slot] = headers",
    replace: "hints[slot] ??= headers",
    tests: ["test/metrics/sketch"],
  },
  {
    name: "how long Redis took is counted again with each flush",
    file: "src/metrics/store-meter.ts",
    find: "      sumUs = commands = excess = 0;",
    replace: "      commands = 0;",
    tests: ["test/metrics/store-meter"],
  },
  {
    name: "a draft is published whatever version the call is based on",
    file: "src/admin/routes/drafts.ts",
    find: " || (based !== undefined && based !== version)",
    replace: "",
    tests: ["test/admin/drafts"],
  },
  {
    name: "an isolate that knows what the cache has asks Redis",
    file: "src/live/share-state.ts",
    find: "found.revision >= known.revision",
    replace: "found.revision > known.revision",
    tests: ["test/live/share-state"],
  },
];
