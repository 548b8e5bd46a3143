import type { Written } from "../written.ts";

/** What is taken of a client that the caller built. */
export const GIVEN_CLIENTS: readonly Written[] = [
  {
    name: "a client without a token has one",
    file: "src/store/redis/given-client.ts",
    find: "/^Bearer (undefined$|null$)?/",
    replace: "/^Bearer /",
    tests: ["test/store/upstash-clients", "test/policy/configuration"],
  },
  {
    name: "a client keeps its mark before the token",
    file: "src/store/redis/given-client.ts",
    find: 'authorization.replace(/^Bearer (undefined$|null$)?/, "")',
    replace: "authorization",
    tests: ["test/store/upstash-clients"],
  },
  {
    name: "a client loses its backend",
    file: "src/store/redis/given-client.ts",
    find: "...(backend !== undefined && { backend }), ",
    replace: "",
    tests: ["test/store/upstash-clients"],
  },
  {
    name: "a client loses its cache",
    file: "src/store/redis/given-client.ts",
    find: ", ...(!onWorkers() && { cache })",
    replace: "",
    tests: ["test/store/upstash-clients"],
  },
  {
    name: "a client keeps its cache on Workers",
    file: "src/store/redis/given-client.ts",
    find: "...(!onWorkers() && { cache })",
    replace: "...{ cache }",
    tests: ["test/store/upstash-clients"],
  },
  {
    name: "a client that tries once more is not reported",
    file: "src/store/redis/given-client.ts",
    find: "?? 0) > 0",
    replace: "?? 0) > 1",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a client with one of two functions is an address",
    file: "src/store/redis/given-client.ts",
    find: ".some((command) => command !== undefined)",
    replace: ".every((command) => command !== undefined)",
    tests: ["test/store/node-clients"],
  },
  {
    name: "a client with one of two functions is taken",
    file: "src/store/redis/given-client.ts",
    find: 'typeof evalsha !== "function" || typeof evaluate !== "function"',
    replace: 'typeof evalsha !== "function" && typeof evaluate !== "function"',
    tests: ["test/store/node-clients"],
  },
  {
    name: "ioredis is told how to wrap node-redis",
    file: "src/store/redis/given-client.ts",
    find: "? IOREDIS\n",
    replace: "? NODE_REDIS\n",
    tests: ["test/store/node-clients"],
  },
  {
    name: "a client's url is called by another name",
    file: "src/store/redis/given-client.ts",
    find: '{ url: "redis.url", token: "redis.token" }',
    replace: '{ url: "url", token: "token" }',
    tests: ["test/policy/configuration"],
  },
];
