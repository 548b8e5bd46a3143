import { expect, test } from "vitest";

import { Faults } from "../../src/options/faults.ts";
import { OPTIONS } from "../../src/options/messages.ts";

const ADDRESS = "https://user:S3cret@redis.example/0?token=S3cret";

const AS_JSON = JSON.stringify(ADDRESS).replaceAll("/", "\\/");

test.each([
  ["as it is", ADDRESS],
  ["in an object", { url: ADDRESS }],
  ["as JSON", JSON.stringify(ADDRESS)],
  ["as JSON with escaped slashes", AS_JSON],
  ["as JSON in JSON", JSON.stringify({ value: AS_JSON })],
  ["escaped for an address", encodeURIComponent(ADDRESS)],
  [
    "escaped in small letters",
    encodeURIComponent(ADDRESS).replaceAll(/%../g, (x) => x.toLowerCase()),
  ],
])("a fault shows neither the password nor the key of an address: %s", (_, value) => {
  const faults = new Faults();
  faults.add("url", value, OPTIONS);
  const [fault] = faults.list;
  expect(fault!.value).toContain("(hidden)");
  expect(JSON.stringify(faults.list)).not.toContain("S3cret");
});
