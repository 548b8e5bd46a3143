import type { Written } from "../written.ts";

/** Commands to Redis, and the texts of its errors. */
export const REDIS: readonly Written[] = [
  {
    name: "a redirect takes the command to another host",
    file: "src/store/redis/rest.ts",
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    tests: ["test/store/strange-answers"],
  },
  {
    name: "the length of a compressed answer is taken for its own",
    file: "src/store/redis/rest.ts",
    find: ' && !headers.has("content-encoding")',
    replace: "",
    tests: ["test/store/strange-answers"],
  },
  {
    name: "a consume is asked again after any error",
    file: "src/store/redis/store.ts",
    find: "if (!isMissingScript(error)) throw error;",
    replace: "",
    tests: ["test/store/redis-dialect"],
  },
  {
    name: "a row of any numbers is an answer",
    file: "src/store/redis/store.ts",
    find: "!reply.every(Number.isSafeInteger)",
    replace: "!reply.every(Number.isFinite)",
    tests: ["test/store/redis-dialect"],
  },
  {
    name: "an error is as long as Redis likes",
    file: "src/store/redis/errors.ts",
    find: ".slice(0, 80)",
    replace: "",
    tests: ["test/store/redis-error"],
  },
  {
    name: "errors quote the command",
    file: "src/store/redis/client-errors.ts",
    find: '.split(", command was:", 1)[0]!',
    replace: "",
    tests: ["test/store/redis-error"],
  },
  {
    name: "a faulty token is shown",
    file: "src/store/redis/endpoint.ts",
    find: 'isBlank(token) ? token : "(hidden)"',
    replace: "token",
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "an address that only contains the name is that of Upstash",
    file: "src/store/redis/dialect.ts",
    find: "(?:[:/]|$)/i",
    replace: "/i",
    tests: ["test/store/redis-dialect", "test/store/first-contact"],
  },
  {
    name: "a missing script is sent in the dialect of before the answer",
    file: "src/store/redis/store.ts",
    find: "dialect.firstLine + script.text",
    replace: "firstLine + script.text",
    tests: ["test/store/redis-dialect"],
  },
];
