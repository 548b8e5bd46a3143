import type { Written } from "../written.ts";

const SPLIT = "src/store/cluster/split-store.ts";
const UNIT = ["test/store/split-store"];

/** How it is found out that a store is a Redis Cluster, where one call cannot span partitions. */
export const MASTERS: readonly Written[] = [
  {
    name: "split: a Cluster is asked as a whole each time",
    file: SPLIT,
    find: "        spans = false;\n      }\n    }\n    const slots",
    replace: "      }\n    }\n    const slots",
    tests: UNIT,
  },
  {
    name: "split: any answer proves that one call spans partitions",
    file: SPLIT,
    find: "if (spans === undefined && slotsOf(keys)) spans = true;",
    replace: "spans ??= true;",
    tests: UNIT,
  },
  {
    name: "split: a dead master in front hides that there are others",
    file: SPLIT,
    find: "if (spans === undefined && slotsOf(keys)) probeAfter(error as StoreError, keys[0]!);",
    replace: "",
    tests: UNIT,
  },
  {
    name: "split: a suspended store is asked by probes",
    file: SPLIT,
    find: 'if (code !== "ERR_STORE_SUSPENDED") ',
    replace: "",
    tests: UNIT,
  },
  {
    name: "split: a probe asks about the same keys each time",
    file: SPLIT,
    find: "probes++ % PROBES",
    replace: "0",
    tests: UNIT,
  },
  {
    name: "split: a probe that fails proves that one call spans partitions",
    file: SPLIT,
    find: "return spans ?? false;",
    replace: "return spans ?? true;",
    tests: UNIT,
  },
  {
    name: "split: keys of different slots count as one part",
    file: SPLIT,
    find: "return slots.every((slot) => slot === slots[0]) ? undefined : slots;",
    replace: "return undefined;",
    tests: UNIT,
  },
  {
    name: "a guard takes the refusal of several slots for an outage",
    file: "src/store/guarded-store.ts",
    find: "      if (breaker.isAnswer(error)) {\n        noteAnswer(key!);\n        throw error;\n      }\n",
    replace: "",
    tests: ["test/store/guarded-partitions"],
  },
  {
    name: "a guard does not take the refusal of several slots for an answer",
    file: "src/store/guarded-store.ts",
    find: "      if (breaker.isAnswer(error)) {\n        noteAnswer(key!);\n",
    replace: "      if (breaker.isAnswer(error)) {\n",
    tests: ["test/store/guarded-partitions"],
  },
];
