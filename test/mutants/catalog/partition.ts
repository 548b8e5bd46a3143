import type { Written } from "../written.ts";

/** The identity that is counted. */
export const PARTITION: readonly Written[] = [
  {
    name: "an identity may stand for an escape",
    file: "src/partition/key-text.ts",
    find: "[^A-Za-z0-9._~@:/+=,|-]",
    replace: "[^A-Za-z0-9._~@:/+=,|%-]",
    tests: ["test/partition/partition-key"],
  },
  {
    name: "a hash of half the digest",
    file: "src/partition/key-text.ts",
    find: "...new Uint8Array(digest)",
    replace: "...new Uint8Array(digest).map((byte) => byte & 240)",
    tests: ["test/partition/partition-key"],
  },
  {
    name: "a fragment is no part of a query to any origin",
    file: "src/partition/queries.ts",
    find: "[parameters, fragment]",
    replace: "[parameters]",
    tests: ["test/partition/read-query"],
  },
  {
    name: "a name in brackets is another name",
    file: "src/partition/spelled-names.ts",
    find: "(?:${BLANK}|${BRACKET}|[?])*",
    replace: "(?:${BLANK}|[?])*",
    tests: ["test/partition/read-query"],
  },
  {
    name: "a name that ends at NUL is another name",
    file: "src/partition/spelled-names.ts",
    find: "(?:${NUL}|${BRACKET})[^=",
    replace: "(?:${BRACKET})[^=",
    tests: ["test/partition/read-query"],
  },
  {
    name: "a pair is there with one of its parts",
    file: "src/partition/compile-sources.ts",
    find: "if (text === undefined) return undefined;",
    replace: "if (text === undefined) continue;",
    tests: ["test/partition/together"],
  },
  {
    name: "a partition can close the hash tag",
    file: "src/partition/key-text.ts",
    find: "[^A-Za-z0-9._~@:/+=,|-]",
    replace: "[^A-Za-z0-9._~@:/+=,|{}-]",
    tests: ["test/partition/partition-key"],
  },
  {
    name: "forwarded addresses counted from the left",
    file: "src/partition/client-ip.ts",
    find: 'fromTheRight(headers.get("x-forwarded-for"), trusted.trustedHops)',
    replace: 'headers.get("x-forwarded-for")?.split(",").at(trusted.trustedHops - 1)',
    tests: ["test/partition"],
  },
  {
    name: "an address in an inner list is read from a source that nobody has checked",
    file: "src/partition/client-ip.ts",
    find: "sources.flat()",
    replace: "sources",
    tests: ["test/partition/source-faults"],
  },
];
