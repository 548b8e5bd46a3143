import type { Written } from "../written.ts";

const SCOPE = ["test/live/override-scope"];
const EXPLAINED = ["test/metrics/explained-denials"];
const CLIENTS = ["test/cli/clients"];

/** What answers of the admin API and the command line say of single clients. */
export const LIVE_THIN_PLACES: readonly Written[] = [
  {
    name: "an override of a header that no rule counts by is answered without a warning",
    file: "src/admin/routes/override-scope.ts",
    find: "if (appliesTo.length > 0) return { appliesTo };",
    replace: "if (appliesTo.length >= 0) return { appliesTo };",
    tests: SCOPE,
  },
  {
    name: "a policy's own partition is passed over when an override says where it holds",
    file: "src/admin/routes/override-scope.ts",
    find: "partition?: unknown }).partition ?? partition)",
    replace: "partition?: unknown }).partition && partition)",
    tests: SCOPE,
  },
  {
    name: "sources that are counted together are passed over when an override says where it holds",
    file: "src/admin/routes/override-scope.ts",
    find: "Array.isArray(sources) ? sources.flat() : []",
    replace: "Array.isArray(sources) ? sources : []",
    tests: SCOPE,
  },
  {
    name: "an override by digest is said to change nothing",
    file: "src/admin/routes/entries.ts",
    find: '|| typeof identity !== "string") return json(made);',
    replace: ") return json(made);",
    tests: SCOPE,
  },
  {
    name: "explain counts denials of other policies, too",
    file: "src/admin/routes/explain.ts",
    find: "each.policy === policy && each.partition === partition",
    replace: "each.partition === partition",
    tests: EXPLAINED,
  },
  {
    name: "explain fails where metrics cannot be read",
    file: "src/admin/routes/explain.ts",
    find: ".catch(() => undefined)",
    replace: "",
    tests: EXPLAINED,
  },
  {
    name: "explain leaves out what its own isolate has counted and not written",
    file: "src/admin/routes/counts.ts",
    find: "    await flushMetrics();\n",
    replace: "",
    tests: EXPLAINED,
  },
  {
    name: "tidegate history leaves out the minutes in which a client was only near a limit",
    file: "src/node/cli/commands/clients.ts",
    find: "(denied[i] ?? 0) + (near[i] ?? 0) > 0",
    replace: "(denied[i] ?? 0) > 0",
    tests: CLIENTS,
  },
];
