import type { Written } from "../written.ts";

/** Which addresses and tokens are taken, and what is shown of them. */
export const ENDPOINTS: readonly Written[] = [
  {
    name: "blanks are a variable",
    file: "src/store/redis/endpoint.ts",
    find: 'value.trim() === ""',
    replace: 'value === ""',
    tests: ["test/store/redis-environment", "test/limiter/environment"],
  },
  {
    name: "an address may have a user",
    file: "src/store/redis/endpoint.ts",
    find: "/^https?:\\/\\/[^\\s/?#@\"']+(?:",
    replace: "/^https?:\\/\\/[^\\s/?#\"']+(?:",
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "an address may have a query",
    file: "src/store/redis/endpoint.ts",
    find: "(?:\\/[^\\s?#\"']*)?$/.test(url)",
    replace: "(?:\\/[^\\s#\"']*)?$/.test(url)",
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "a token may be quoted",
    file: "src/store/redis/endpoint.ts",
    find: " && !/^[\"']/.test(token)",
    replace: "",
    tests: [
      "test/policy/configuration",
      "test/limiter/environment",
      "test/store/redis-environment",
    ],
  },
  {
    name: "a token may have a blank inside",
    file: "src/store/redis/endpoint.ts",
    find: "/^[!-~]+$/",
    replace: "/^[ -~]+$/",
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "a faulty token is shown",
    file: "src/store/redis/endpoint.ts",
    find: 'isBlank(token) ? token : "(hidden)"',
    replace: "token",
    tests: ["test/policy/secrets", "test/policy/configuration"],
  },
  {
    name: "an address in place of a token is shown",
    file: "src/store/redis/endpoint.ts",
    find: 'typeof url === "string" ? withoutSecrets(url) : url',
    replace: "url",
    tests: ["test/policy/configuration"],
  },
  {
    name: "a missing variable is said to be wrong",
    file: "src/store/redis/endpoint.ts",
    find: "paths.areVariables === true && isBlank(value)",
    replace: "false",
    tests: ["test/limiter/environment", "test/policy/configuration"],
  },
  {
    name: "a port is as long as it likes",
    file: "src/store/redis/endpoint.ts",
    find: "\\d{1,5}\\/?",
    replace: "\\d+\\/?",
    tests: ["test/policy/configuration"],
  },
];
