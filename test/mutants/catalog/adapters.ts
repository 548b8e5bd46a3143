import type { Written } from "../written.ts";

/** The package's entries for frameworks. */
export const ADAPTERS: readonly Written[] = [
  {
    name: "failures: an exception through the middleware keeps what was reserved",
    file: "src/hono.ts",
    find: "settlement?.now(Number(Object(error).status) || 500, c.req.raw);",
    replace: "",
    tests: ["test/hono/failures"],
  },
  {
    name: "an origin's RateLimit fields are overwritten",
    file: "src/decide/present.ts",
    find: "headers.append(name, value)",
    replace: "headers.set(name, value)",
    tests: ["test/hono", "test/gateway/proxy/fields"],
  },
  {
    name: "fields are put on a response that switches protocols",
    file: "src/decide/present.ts",
    find: "if (response.status === 101) return response;",
    replace: "",
    tests: ["test/adapter/append-fields"],
  },
  {
    name: "a limiter is opened with every request",
    file: "src/hono.ts",
    find: "limiter ??= open(",
    replace: "limiter = open(",
    tests: ["test/hono/configuration"],
  },
  {
    name: "a refused client pays",
    file: "src/adapter/request-reader.ts",
    find: "if (isRefused) return {",
    replace: "if (isRefused) await readCost(context);\n      if (isRefused) return {",
    tests: ["test/adapter/request-reader"],
  },
  {
    name: "limit() takes two algorithms for one",
    file: "src/limit.ts",
    find: ".map((option) => fields[option])",
    replace: '.map((option) => option !== "algorithm" && fields[option])',
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "limit() keeps every policy for ever",
    file: "src/limit.ts",
    find: "setRecent(byPolicy, key, made, MAX_POLICIES);",
    replace: "byPolicy.set(key, made);",
    tests: ["test/limiter/limit-policies"],
  },
  {
    name: "a route believes what a client says it is over",
    file: "src/adapter/route-fields.ts",
    find: 'if (over === "" && others.length === names.length) return;',
    replace: 'if (over === "") return;',
    tests: ["test/edge/vercel"],
  },
  {
    name: "a client is gone only once Node knows",
    file: "src/partition/client-ip.ts",
    find: "socket.destroyed || socket.localAddress !== undefined",
    replace: "socket.destroyed",
    tests: ["test/node-servers/gone-clients"],
  },
  {
    name: "middleware looks for dashes and underscores alone",
    file: "src/partition/field-names.ts",
    find: 'lower.replaceAll(/[^a-z0-9]/g, "-")',
    replace: 'lower.replaceAll("_", "-")',
    tests: ["test/adapter/refuse-imitations"],
  },
  {
    name: "the plugin of Fastify decides before everything else",
    file: "src/fastify.ts",
    find: 'instance.addHook(hook as "onRequest", decide);',
    replace: 'instance.addHook("onRequest", decide);',
    tests: ["test/node-servers/rate-limit"],
  },
];
