import { expect, test } from "vitest";

import { HEADER_IDENTITIES } from "../../src/features/lists/header-identities.ts";

test.each(["header", "ip", "subnet", "asn", "country", "cookie", "query", "path"])(
  "%s names no header",
  (word) => {
    expect(HEADER_IDENTITIES.spell(`${word}:abc`)).toBeUndefined();
  },
);

test("a header's name and value may stand between spaces", () => {
  expect(HEADER_IDENTITIES.spell(" X-Key : abc ")).toBe("x-key:abc");
});
