import type { Written } from "../written.ts";

/** The numbers of some clients. */
export const PLANS: readonly Written[] = [
  {
    name: "a plan that does not exist is asked for",
    file: "src/features/plans/read-plan.ts",
    find: "if (Object.hasOwn(existing, name)) return name;",
    replace: "return name;",
    tests: ["test/gateway/rules/plans"],
  },
  {
    name: "what every object has is a plan",
    file: "src/features/plans/read-plan.ts",
    find: "Object.hasOwn(existing, name)",
    replace: "name in existing",
    tests: ["test/gateway/rules/plans"],
  },
  {
    name: "a plan that does not exist is not reported",
    file: "src/features/plans/read-plan.ts",
    find: 'reportOnce("a request has a plan that does not exist: it is decided as one without a plan.");',
    replace: "",
    tests: ["test/gateway/rules/plans"],
  },
  {
    name: "plans need not exist",
    file: "src/features/plans/read-plan.ts",
    find: 'if (plans === undefined) faults.add("plan", plan, PLAN_WITHOUT_PLANS);',
    replace: "",
    tests: ["test/hono/configuration"],
  },
  {
    name: "a plan is any text",
    file: "src/features/plans/read-plan.ts",
    find: 'faults.add("plan", plan, PLAN_SOURCE);',
    replace: "",
    tests: ["test/hono/configuration"],
  },
  {
    name: "a plan leaves the window as it is",
    file: "src/features/plans/plans.ts",
    find: "const { limit, windowUs, parameters } = compiled;",
    replace: "const { limit } = compiled;\n  const { windowUs, parameters } = policy;",
    tests: ["test/gateway/rules/plans"],
  },
  {
    name: "a plan may name policies that do not exist",
    file: "src/features/plans/plans.ts",
    find: "filter(([name]) => !names.has(name))",
    replace: "filter(() => false)",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a plan may have any name",
    file: "src/features/plans/plans.ts",
    find: "if (!NAME.test(plan)) faults",
    replace: "if (false) faults",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a plan may change more than numbers",
    file: "src/features/plans/plans.ts",
    find: "checkOptions(numbers, options, `${path}.`, faults);",
    replace: "",
    tests: ["test/policy/configuration"],
  },
  {
    name: "plans may be a list",
    file: "src/features/plans/plans.ts",
    find: "!isRecord(plans)",
    replace: "typeof plans !== 'object' || plans === null",
    tests: ["test/policy/configuration"],
  },
  {
    name: "faults of PLANS wait for those of other variables",
    file: "src/gateway/rules/ruleset.ts",
    find: "rules.length > 0 && faults.list.length === before",
    replace: "faults.list.length === 0",
    tests: ["test/gateway/config/config"],
  },
  {
    name: "rules are at fault for PLANS that are no JSON",
    file: "src/gateway/config/given-rules.ts",
    find: "return {};",
    replace: "return undefined;",
    tests: ["test/gateway/config/config"],
  },
];
