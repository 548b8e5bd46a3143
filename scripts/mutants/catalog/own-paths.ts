import type { Written } from "../written.ts";

/** What the gateway does with what its parts say of a request. */
export const OWN_PATHS: readonly Written[] = [
  {
    name: "an own path that some origin ends early is the origin's",
    file: "src/gateway/route/route.ts",
    find: "const readings = [paths.plain, ...paths.others, ...paths.wider];",
    replace: "const readings = [paths.plain, ...paths.others];",
    tests: ["test/gateway/match/paths"],
  },
  {
    name: "an own path in another reading is the origin's",
    file: "src/gateway/route/route.ts",
    find: "const readings = [paths.plain, ...paths.others, ...paths.wider];",
    replace: "const readings = [paths.plain, ...paths.wider];",
    tests: ["test/gateway/match/paths"],
  },
  {
    name: "own paths are known by the case of their letters",
    file: "src/gateway/match/path.ts",
    find: "return foldCase(text)\n",
    replace: "return text\n",
    tests: ["test/gateway/match/paths"],
  },
  {
    name: "that a gateway lives may be stored",
    file: "src/gateway/gateway.ts",
    find: 'Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } })',
    replace: 'Response.json({ status: "ok" })',
    tests: ["test/gateway/health"],
  },
  {
    name: "the gateway does not say where a request comes from",
    file: "src/gateway/route/route.ts",
    find: "const asked = { request, bindings, readings };",
    replace: "const asked = { request, bindings: undefined, readings };",
    tests: ["test/hono/socket-address"],
  },
  {
    name: "a query's method is not looked for",
    file: "src/gateway/route/route.ts",
    find: "{ request, search }",
    replace: '{ request, search: "" }',
    tests: ["test/gateway/match/method-overrides"],
  },
  {
    name: "ambiguous paths always pass",
    file: "src/gateway/match/select-rules.ts",
    find: 'ambiguousPaths === "refuse"',
    replace: 'ambiguousPaths !== "refuse"',
    tests: ["test/gateway/match/paths"],
  },
  {
    name: "ambiguous paths pass by default",
    file: "src/gateway/config/variables.ts",
    find: '  "refuse",\n);\n\nconst ClientIp',
    replace: '  "pass",\n);\n\nconst ClientIp',
    tests: ["test/gateway/match/paths"],
  },
];
