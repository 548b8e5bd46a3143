import type { Written } from "../written.ts";

/** What a store decides about several policies at once. */
export const STORE: readonly Written[] = [
  {
    name: "several policies: the first takes before the last has spoken",
    file: "lua/decide.lua",
    find: "(cost == 0 or step < last or roles or denials > 0)",
    replace: "roles",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a reset leaves the counts",
    file: "lua/decide.lua",
    find: "redis.call('DEL', unpack(KEYS))",
    replace: "",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a lease does not heed the last policy",
    file: "lua/lease.lua",
    find: "if step <= last and not advisory then",
    replace: "if step < last and not advisory then",
    tests: ["test/lua/lease"],
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
    name: "an advisory policy makes a lease smaller in Redis",
    file: "lua/lease.lua",
    find: "if step <= last and not advisory then",
    replace: "if step <= last then",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a policy counts its own denial in memory",
    file: "src/store/decide-together.ts",
    find: "each && policies[other]!.key !== policies[i]!.key",
    replace: "each && other >= 0",
    tests: ["test/store/memory-store", "test/limiter/modes"],
  },
  {
    name: "the first contact is given up as soon as a later call",
    file: "src/store/guarded-store.ts",
    find: "let patienceMs = firstContactMs(timeoutMs);",
    replace: "let patienceMs = timeoutMs;",
    tests: ["test/store/redis-dialect", "test/store/first-contact"],
  },
  {
    name: "memory is bounded in entries alone",
    file: "src/store/memory.ts",
    find: "if (entries.size <= maxEntries && bytes <= maxBytes) return;\n    for (const [key, { endsUs }]",
    replace: "if (entries.size <= maxEntries) return;\n    for (const [key, { endsUs }]",
    tests: ["test/store/memory"],
  },
];
