import type { Written } from "../written.ts";

/** What errors show, and what they must not. */
export const SECRETS: readonly Written[] = [
  {
    name: "what stands before the last @ of an address is shown",
    file: "src/options/faults.ts",
    find: "/\\/\\/[^]*@/",
    replace: "/\\/\\/[^]*?@/",
    tests: ["test/policy/secrets"],
  },
  {
    name: "a fault shows all of a long value",
    file: "src/options/faults.ts",
    find: "text.length > 60 ?",
    replace: "text.length > 600 ?",
    tests: ["test/policy/configuration"],
  },
  {
    name: "an error quotes what is in brackets",
    file: "src/store/redis/errors.ts",
    find: "[^'\"`()[\\]{}<]|",
    replace: "[^'\"`]|",
    tests: ["test/store/redis-error"],
  },
  {
    name: "an error is as long as Redis likes",
    file: "src/store/redis/errors.ts",
    find: "{0,80}/",
    replace: "*/",
    tests: ["test/store/redis-error"],
  },
  {
    name: "errors quote the command",
    file: "src/store/redis/client-errors.ts",
    find: '.split(", command was:", 1)[0]!',
    replace: "",
    tests: ["test/store/redis-dialect"],
  },
];
