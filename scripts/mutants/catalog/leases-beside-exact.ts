import type { Mutant } from "../mutant.ts";

/** Held units of one dimension, beside others that decide the same request. */
export const LEASES_BESIDE_EXACT: readonly Mutant[] = [
  {
    name: "a unit stays spent though another dimension denies",
    file: "src/limiter/take.ts",
    find: "if (denying.length > 0) putBack();",
    replace: "",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a unit comes back twice",
    file: "src/lease/holding.ts",
    find: "grant.units += units;",
    replace: "grant.units += 2 * units;",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a unit that comes back has the time of the next lease",
    file: "src/lease/holding.ts",
    find: "grants.findIndex((grant) => grant.untilMs >= untilMs)",
    replace: "-1",
    tests: ["test/lease/holding"],
  },
  {
    name: "a unit stays spent though the fallback denies",
    file: "src/limiter/take.ts",
    find: "putBack();\n        const left",
    replace: "const left",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a denied lease takes held units of other dimensions",
    file: "src/limiter/take.ts",
    find: "putBack();\n    const answer = held(group, false);",
    replace: "const answer = held(group, false);",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "the fallback decides about units that are held",
    file: "src/limiter/take.ts",
    find: "keep(rows, group, reply.rows);",
    replace: "",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a shadow policy without room is a reason to wait",
    file: "src/lease/leases.ts",
    find: 'filter(([, { role }]) => role !== "advisory")',
    replace: "filter(() => true)",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a reset leaves what is held under a plan",
    file: "src/limiter/knowledge.ts",
    find: "of [group, ...group.variants]",
    replace: "of [group]",
    tests: ["test/lease/beside-exact"],
  },
];
