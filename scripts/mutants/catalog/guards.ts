import type { Written } from "../written.ts";

/** How a store is asked. */
export const GUARDS: readonly Written[] = [
  {
    name: "a hash slot may be below nothing",
    file: "src/store/cluster/hash-slot.ts",
    find: "crc & (SLOTS - 1)",
    replace: "crc % SLOTS",
    tests: ["test/store/slot-breaker"],
  },
  {
    name: "a hash slot is one of the whole checksum",
    file: "src/store/cluster/hash-slot.ts",
    find: "crc & (SLOTS - 1)",
    replace: "crc & 0xffff",
    tests: ["test/store/slot-breaker"],
  },
  {
    name: "a hash slot is that of the tag with its brace",
    file: "src/store/cluster/hash-slot.ts",
    find: 'key.indexOf("{") + 1',
    replace: 'key.indexOf("{")',
    tests: ["test/store/slot-breaker"],
  },
  {
    name: "a failure is dated by its end alone",
    file: "src/store/guarded-store.ts",
    find: "breaker.failed(key!, sentAtMs, lastFailureMs)",
    replace: "breaker.failed(key!, lastFailureMs, lastFailureMs)",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "a reset is asked past the breaker",
    file: "src/store/guarded-store.ts",
    find: "guarded(keys, () => store.reset(keys))",
    replace: "Promise.resolve(store.reset(keys))",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "an outage is as long as since the isolate began",
    file: "src/store/guarded-store.ts",
    find: "firstFailureMs = lastFailureMs;\n",
    replace: "",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "an outage lasted for no second",
    file: "src/store/guarded-store.ts",
    find: "Math.max(1, Math.ceil(ms / 1000))",
    replace: "Math.floor(ms / 1000)",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "a listener hears and the log as well",
    file: "src/store/guarded-store.ts",
    find: "&& onStoreError === undefined",
    replace: "",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "an unknown failure comes out as it is",
    file: "src/store/guarded-store.ts",
    find: "error instanceof StoreError\n          ? error\n          :",
    replace: "error instanceof Error\n          ? (error as StoreError)\n          :",
    tests: ["test/store/guarded-store"],
  },
];
