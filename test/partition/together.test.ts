import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { partitionKey } from "../../src/decide/identify.ts";
import { EVERYBODY } from "../../src/partition/key-text.ts";
import { identify } from "./identify.ts";

const address = { "cf-connecting-ip": "192.0.2.1" };
const agent = { "user-agent": "curl" };

describe("sources together", () => {
  const sources = ["header:x-api-key", ["ip", "header:user-agent"], "ip"];

  test("are present only if each of them is", async () => {
    const pair = await identify(sources, { fields: { ...address, ...agent } });
    expect(pair).toMatch(/^ip:192\.0\.2\.1,user-agent:[\w-]{43}$/);
    expect(await identify(sources, { fields: address })).toBe("ip:192.0.2.1");
    expect(await identify(sources, { fields: agent })).toBeUndefined();
    const all = { ...address, ...agent, "x-api-key": "k" };
    expect(await identify(sources, { fields: all })).toMatch(/^x-api-key:/);
  });

  test("are one identity for each combination, for any values of clients", async () => {
    const value = fc.string({ unit: fc.constantFrom(..."a,:|&%"), maxLength: 4 });
    const request = fc.tuple(value, value);
    const pair = [["header:x-a", "header:x-b"]];
    await fc.assert(
      fc.asyncProperty(request, request, async ([a1, b1], [a2, b2]) => {
        const [one, two] = await Promise.all([
          identify(pair, { fields: { "x-a": a1, "x-b": b1 } }),
          identify(pair, { fields: { "x-a": a2, "x-b": b2 } }),
        ]);
        const complete = [a1, b1, a2, b2].every((text) => text !== "");
        if (!complete) return;
        expect(one === two).toBe(a1 === a2 && b1 === b2);
      }),
      { numRuns: 300 },
    );
  });

  test("of addresses make a key that shows them", async () => {
    const fields = { "cf-connecting-ip": "2001:db8:1:2::3" };
    const identity = await identify([["subnet", "country"]], { fields, cf: { country: "DE" } });
    expect(identity).toBe("subnet:2001:db8:1::/48,country:DE");
    expect(partitionKey(identity!)).toBe(identity);
  });
});

describe("a subnet", () => {
  test.each([
    ["192.0.2.1", "192.0.2.0/24"],
    ["192.0.2.255", "192.0.2.0/24"],
    ["10.0.0.0", "10.0.0.0/24"],
    ["::ffff:192.0.2.77", "192.0.2.0/24"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
    ["2001:db8:1:ffff::", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0::/48"],
    ["::1", "0:0:0::/48"],
  ])("of %s is %s", async (ip, subnet) => {
    expect(await identify(["subnet"], { fields: { "cf-connecting-ip": ip } })).toBe(
      `subnet:${subnet}`,
    );
  });

  test("is not there without an address", async () => {
    expect(await identify(["subnet"], { fields: { "cf-connecting-ip": "unknown" } })).toBe(
      undefined,
    );
  });
});

test("all clients are one identity, which no source gives and no key of a client equals", async () => {
  expect(await identify(EVERYBODY, { fields: address })).toBe("*");
  expect(await identify(EVERYBODY, {})).toBe("*");
  expect(await identify(["header:x"], { fields: { x: "*" } })).toMatch(/^x:/);
  expect(partitionKey(EVERYBODY)).toBe("%2a");
});
