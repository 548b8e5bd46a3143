import type { Written } from "../written.ts";

/** What is said about a Redis. */
export const INSPECTION: readonly Written[] = [
  {
    name: "a Redis that is too old is not named",
    file: "src/store/redis/version.ts",
    find: "if (!TOO_OLD.test(message)) return failure;",
    replace: "return failure;",
    tests: ["test/gateway/health", "test/store"],
  },
  {
    name: "every failure asks for the version",
    file: "src/store/redis/version.ts",
    find: "if (!TOO_OLD.test(message)) return failure;",
    replace: "",
    tests: ["test/store/redis-calls", "test/store/redis-dialect"],
  },
  {
    name: "the version is asked for with every look",
    file: "src/store/redis/inspect.ts",
    find: "if (version === undefined && breaker",
    replace: "if (breaker",
    tests: ["test/gateway/health"],
  },
  {
    name: "the version is asked for in an outage",
    file: "src/store/redis/inspect.ts",
    find: ' && breaker === "closed"',
    replace: "",
    tests: ["test/gateway/health"],
  },
  {
    name: "a late version is one",
    file: "src/store/redis/inspect.ts",
    find: "if (answer !== TIMED_OUT) version = answer;",
    replace: "version = answer as string;",
    tests: ["test/store/inspect"],
  },
  {
    name: "a Redis with flags is a plain one",
    file: "src/store/redis/inspect.ts",
    find: 'dialect.firstLine === ""',
    replace: 'dialect.firstLine !== ""',
    tests: ["test/gateway/health"],
  },
  {
    name: "a Redis before 7.0 speaks in other words",
    file: "src/store/redis/errors.ts",
    find: '.replace(IN_SCRIPT, "")',
    replace: "",
    tests: ["test/gateway/health", "test/store"],
  },
  {
    name: "an apostrophe ends Redis's words",
    file: "src/store/redis/errors.ts",
    find: "|(?<=\\w)'(?=\\w)",
    replace: "",
    tests: ["test/store/redis-error", "test/store/store-errors", "test/gateway/health"],
  },
];
