import type { Written } from "../written.ts";

/** Mutants of the middleware for servers on Node. */
export const NODE_SERVERS: readonly Written[] = [
  {
    name: "middleware on Node settles what a client has hung up on at once",
    file: "src/adapter/node-server.ts",
    find: "if (outgoing.headersSent) return end(true);",
    replace: "return end(true);",
    tests: ["test/node-servers/holds"],
  },
  {
    name: "middleware on Node waits for the end of a stream that its client has given up",
    file: "src/adapter/node-server.ts",
    find: "if (outgoing.headersSent) return end(true);",
    replace: "",
    tests: ["test/node-servers/holds"],
  },
  {
    name: "middleware on Node takes no notice of the end of a response before its decision",
    file: "src/adapter/node-limiter.ts",
    find: "void end?.then(({ status, aborted }) => settlement?.now(status, { signal: { aborted } }));",
    replace: "void settlement;",
    tests: ["test/node-servers/holds"],
  },
  {
    name: "an inner limiter on Node replaces the items of the outer one",
    file: "src/adapter/node-server.ts",
    find: "earlier ? `${value}, ${String(earlier)}` : value",
    replace: "value",
    tests: ["test/node-servers/rate-limit"],
  },
  {
    name: "middleware on Node folds cookies into one",
    file: "src/adapter/node-server.ts",
    find: 'sink.set("set-cookie", cookies)',
    replace: 'sink.set("set-cookie", cookies.join(", "))',
    tests: ["test/node-servers/rate-limit"],
  },
  {
    name: "middleware of Express throws what a function in its options throws",
    file: "src/express.ts",
    find: "next(error);\n      return;",
    replace: "throw error;",
    tests: ["test/node-servers/rate-limit"],
  },
  {
    name: "middleware of Express answers what has been answered",
    file: "src/express.ts",
    find: "if (answer) return;",
    replace: "",
    tests: ["test/node-servers/rate-limit"],
  },
  {
    name: "the plugin of Fastify decides before everything else",
    file: "src/fastify.ts",
    find: 'instance.addHook(hook as "onRequest", decide);',
    replace: 'instance.addHook("onRequest", decide);',
    tests: ["test/node-servers/rate-limit"],
  },
  {
    name: "the plugin of Fastify limits nothing outside of itself",
    file: "src/fastify.ts",
    find: '[Symbol.for("skip-override")]: true',
    replace: '[Symbol.for("skip-override")]: false',
    tests: ["test/node-servers/rate-limit"],
  },
];
