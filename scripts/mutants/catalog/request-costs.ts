import type { Written } from "../written.ts";

/** What a request costs each policy. */
export const REQUEST_COSTS: readonly Written[] = [
  {
    name: "a cost may name a policy that does not exist",
    file: "src/adapter/request-cost.ts",
    find: "if (named.length === 0) {",
    replace: "if (false) {",
    tests: ["test/hono/configuration"],
  },
  {
    name: "a cost by name is held against every policy",
    file: "src/adapter/request-cost.ts",
    find: "checkUnits(units, `cost.${name}`, named, faults)",
    replace: "checkUnits(units, `cost.${name}`, policies, faults)",
    tests: ["test/hono/policies"],
  },
  {
    name: "a cost above the limit of a soft policy is a fault",
    file: "src/adapter/request-cost.ts",
    find: ' && mode === "enforce" && highest',
    replace: " && highest",
    tests: ["test/gateway/rules/modes"],
  },
  {
    name: "a function in a rule is a cost",
    file: "src/gateway/rules/schema.ts",
    find: 'typeof value !== "function"',
    replace: "true",
    tests: ["test/gateway/config/config"],
  },
];
