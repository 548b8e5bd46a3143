import type { Written } from "../written.ts";

/** A store's decisions about several policies at once. */
export const STORE: readonly Written[] = [
  {
    name: "several policies: the first takes before the last has spoken",
    file: "lua/decide.lua",
    find: "(cost == 0 or step < last or roles or denials > 0)",
    replace: "roles",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a listener that throws breaks the decision",
    file: "src/store/guarded-store.ts",
    find: "report(`onStoreError failed: ${String(error)}`);",
    replace: "throw error;",
    tests: ["test/store/guarded-store"],
  },
  {
    name: "an advisory policy denies in Redis",
    file: "lua/decide.lua",
    find: "if step <= last and allowed == 0 and role ~= 'a' then",
    replace: "if step <= last and allowed == 0 then",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a policy counts its own denial in Redis",
    file: "lua/decide.lua",
    find: "denials > denies and 'charge'",
    replace: "denials > 0 and 'charge'",
    tests: ["test/store/redis-store", "test/lua/roles"],
  },
  {
    name: "the first contact is given up as soon as a later call",
    file: "src/store/guarded-store.ts",
    find: "let patienceMs = firstContactMs(timeoutMs);",
    replace: "let patienceMs = timeoutMs;",
    tests: ["test/store/redis-dialect", "test/store/first-contact"],
  },
  {
    name: "an object's alarm rings before its counts end",
    file: "src/store/durable-object/kept-counts.ts",
    find: "Math.ceil(endsUs / 1000)",
    replace: "Math.floor(endsUs / 1000)",
    tests: ["test/store/kept-counts"],
  },
];
