import type { Mutant } from "./mutant.ts";

/** Who asks, where, and how the answer is told. */
export const REQUESTS: readonly Mutant[] = [
  {
    name: "a partition can close the hash tag",
    file: "src/partition/partition-key.ts",
    find: "[^A-Za-z0-9._~@:/+=,|-]",
    replace: "[^A-Za-z0-9._~@:/+=,|{}-]",
    tests: ["test/partition/partition-key"],
  },
  {
    name: "IPv6 without its mask",
    file: "src/partition/ip-address.ts",
    find: ".slice(0, 4)",
    replace: ".slice(0, 8)",
    tests: ["test/partition"],
  },
  {
    name: "forwarded addresses counted from the left",
    file: "src/partition/client-ip.ts",
    find: ".at(-trusted.trustedHops)",
    replace: ".at(trusted.trustedHops - 1)",
    tests: ["test/partition"],
  },
  {
    name: "Retry-After rounded down",
    file: "src/http/fields.ts",
    find: "return Math.ceil(milliseconds / 1000);",
    replace: "return Math.floor(milliseconds / 1000);",
    tests: ["test/http"],
  },
  {
    name: "an origin's RateLimit fields are overwritten",
    file: "src/adapter/append-fields.ts",
    find: "headers.append(name, value)",
    replace: "headers.set(name, value)",
    tests: ["test/hono", "test/gateway/proxy-fields"],
  },
  {
    name: "a second slash goes past a rule",
    file: "src/worker/path.ts",
    find: 'segment !== ""',
    replace: "true",
    tests: ["test/gateway/paths"],
  },
];
