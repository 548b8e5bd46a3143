import type { Written } from "../written.ts";

/** Held units of one dimension, beside others that decide the same request. */
export const LEASES_BESIDE_EXACT: readonly Written[] = [
  {
    name: "a unit stays spent though another dimension denies",
    file: "src/features/leases/step.ts",
    find: "        else putBack();\n",
    replace: "",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a unit comes back twice",
    file: "src/features/leases/holding.ts",
    find: "grant.units += units;",
    replace: "grant.units += 2 * units;",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a unit that comes back has the time of the next lease",
    file: "src/features/leases/holding.ts",
    find: "grants.findIndex((grant) => grant.untilMs >= untilMs)",
    replace: "-1",
    tests: ["test/lease/holding"],
  },
  {
    name: "a unit stays spent though the fallback denies",
    file: "src/features/leases/step.ts",
    find: "      async giveBack() {\n        putBack();",
    replace: "      async giveBack() {",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a denied lease takes held units of other dimensions",
    file: "src/features/leases/step.ts",
    find: "    putBack();\n    return { groups: [held(each, false)] };",
    replace: "    return { groups: [held(each, false)] };",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "the fallback decides about units that are held",
    file: "src/features/leases/step.ts",
    find: "      groups: withHeld(answered),\n      unanswered",
    replace: "      groups: answered,\n      unanswered",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a shadow policy without room is a reason to wait",
    file: "src/features/leases/leases.ts",
    find: 'filter(([, { role }]) => role !== "advisory")',
    replace: "filter(() => true)",
    tests: ["test/lease/beside-exact"],
  },
  {
    name: "a reset leaves what is held under a plan",
    file: "src/features/leases/step.ts",
    find: "of [group, ...group.variants]",
    replace: "of [group]",
    tests: ["test/lease/beside-exact"],
  },
];
