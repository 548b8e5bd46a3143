import type { Written } from "../written.ts";

/** Policies that do not deny. */
export const MODES: readonly Written[] = [
  {
    name: "a decision of shadows alone tells its reason",
    file: "src/decision/fields.ts",
    find: 'return isListed(reason) ? { "X-RateLimit-Reason": reason } : {};',
    replace: 'return { "X-RateLimit-Reason": reason };',
    tests: ["test/gateway/rules/modes"],
  },
  {
    name: "an origin believes what a client says it is over",
    file: "src/gateway/proxy/proxy.ts",
    find: "headers.delete(OVER);",
    replace: "",
    tests: ["test/gateway/rules/modes"],
  },
  {
    name: "an origin is not told what a request is over",
    file: "src/gateway/proxy/proxy.ts",
    find: 'if (over !== "") headers.set(OVER, over);',
    replace: "",
    tests: ["test/gateway/rules/modes"],
  },
  {
    name: "an origin is told of all policies",
    file: "src/adapter/over-limits.ts",
    find: "policies.filter(({ allowed }) => !allowed)",
    replace: "policies.filter(() => true)",
    tests: ["test/gateway/rules/modes"],
  },
  {
    name: "a route loses the fields of its request",
    file: "src/adapter/route-fields.ts",
    find: "if (!listed) for (const [name, value] of given) headers.set(VALUE + name, value);",
    replace: "",
    tests: ["test/edge/vercel"],
  },
  {
    name: "a route believes what a client says it is over",
    file: "src/adapter/route-fields.ts",
    find: 'if (over === "" && !names.includes(OVER)) return;',
    replace: 'if (over === "") return;',
    tests: ["test/edge/vercel"],
  },
  {
    name: "a route is told the fields that a middleware took away",
    file: "src/adapter/route-fields.ts",
    find: "const names = listed ?? [...given.keys()];",
    replace: "const names = [...given.keys()];",
    tests: ["test/edge/vercel"],
  },
  {
    name: "the answer of a middleware has the fields of its request",
    file: "src/adapter/route-fields.ts",
    find: "if (!goesOn(headers)) return;",
    replace: "",
    tests: ["test/edge/vercel"],
  },
  {
    name: "modes: a cost that only an advisory policy has makes a denial known",
    file: "src/decide/known.ts",
    find: 'role === "enforced" && (operation',
    replace: "role && (operation",
    tests: ["test/limiter/shadow-costs"],
  },
  {
    name: "modes: without a cost, a ban counts no denial, but with a shadow's it does",
    file: "src/decide/outage.ts",
    find: '    if (!group.isPlain && group.policies.some(({ role }) => role !== "enforced")) return false;\n',
    replace: "    void group;\n",
    tests: ["test/limiter/shadow-costs"],
  },
];
