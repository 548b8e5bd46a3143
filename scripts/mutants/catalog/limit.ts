import type { Mutant } from "../mutant.ts";

/** Which calls of limit() are one, and what they share. */
export const LIMIT: readonly Mutant[] = [
  {
    name: "limit() takes two algorithms for one",
    file: "src/limit.ts",
    find: "JSON.stringify([algorithm, name,",
    replace: "JSON.stringify([name,",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two names for one",
    file: "src/limit.ts",
    find: "JSON.stringify([algorithm, name,",
    replace: "JSON.stringify([algorithm,",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two limits for one",
    file: "src/limit.ts",
    find: "units, onFailure, own]",
    replace: "onFailure, own]",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two refills for one",
    file: "src/limit.ts",
    find: ".map((option) => policy[option as keyof Policy])",
    replace: '.map((option) => option !== "refill" && policy[option as keyof Policy])',
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two refill times for one",
    file: "src/limit.ts",
    find: ".map((option) => policy[option as keyof Policy])",
    replace: '.map((option) => option !== "per" && policy[option as keyof Policy])',
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two windows for one",
    file: "src/limit.ts",
    find: ".map((option) => policy[option as keyof Policy])",
    replace: '.map((option) => option !== "window" && policy[option as keyof Policy])',
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two cuts of a window for one",
    file: "src/limit.ts",
    find: ".map((option) => policy[option as keyof Policy])",
    replace: '.map((option) => option !== "segments" && policy[option as keyof Policy])',
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() takes two verdicts for one",
    file: "src/limit.ts",
    find: "onFailure, own]",
    replace: "own]",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() keeps every policy for ever",
    file: "src/limit.ts",
    find: "setRecent(byPolicy, key, path, MAX_POLICIES);",
    replace: "byPolicy.set(key, path);",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() forgets what it knew",
    file: "src/limit.ts",
    find: "if (existing) return existing;",
    replace: "",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() opens its Redis for each policy",
    file: "src/limit.ts",
    find: "store ??=",
    replace: "store =",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() waits for Redis as long as it likes",
    file: "src/limit.ts",
    find: "client && guardStore(redisStore(client), { timeoutMs: DEFAULT_TIMEOUT_MS, now: DEFAULTS.now })",
    replace: "client && redisStore(client)",
    tests: ["test/limiter/limit-policies"],
  },
];
