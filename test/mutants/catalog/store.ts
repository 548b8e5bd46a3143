import type { Written } from "../written.ts";

/** A store's decisions about several policies at once. */
export const STORE: readonly Written[] = [
  {
    name: "several policies: the first keeps what it took although the last denies",
    file: "lua/decide.lua",
    find: "local took = not holds and denier and policy < denier",
    replace: "local took = false",
    tests: ["test/store/redis-store"],
  },
  {
    name: "several policies: one takes after another has denied",
    file: "lua/decide.lua",
    find: "(cost == 0 or denier or holds)",
    replace: "(cost == 0 or holds)",
    tests: ["test/store/redis-store", "test/lua/roles"],
  },
  {
    name: "the states of several policies are read into the places of others",
    file: "lua/read.lua",
    find: "values[policies[i]] = read[i]",
    replace: "values[i] = read[i]",
    tests: ["test/lua/cost", "test/store/redis-store"],
  },
  {
    name: "a part of a state is written at its beginning",
    file: "lua/write.lua",
    find: "'SETRANGE', key, place, bytes",
    replace: "'SETRANGE', key, '0', bytes",
    tests: ["test/lua/model"],
  },
  {
    name: "a lease takes more than one of its policies has",
    file: "lua/lease.lua",
    find: "taken = math.min(taken, remaining)",
    replace: "taken = taken + 0",
    tests: ["test/lua/lease"],
  },
  {
    name: "a refund lets a key live for ever",
    file: "lua/refund.lua",
    find: "'SET', key, state, 'KEEPTTL'",
    replace: "'SET', key, state",
    tests: ["test/lua/refund"],
  },
  {
    name: "a single slot policy reads its key as a text",
    file: "lua/decide-one.lua",
    find: "elseif arguments[3] ~= 'concurrency' then",
    replace: "else",
    tests: ["test/lua/cost"],
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
    find: "if not again and allowed == 0 and role ~= 'a' and role ~= 'o' then",
    replace: "if not again and allowed == 0 then",
    tests: ["test/store/redis-store"],
  },
  {
    name: "a policy counts its own denial in Redis",
    file: "lua/decide.lua",
    find: "if again and denials > denies then",
    replace: "if again and denials > 0 then",
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
