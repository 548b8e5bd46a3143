import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ipPartition } from "../../src/partition/ip-address.ts";

function spell(groups: readonly number[], width: number, upper: boolean): string {
  const text = groups.map((value) => value.toString(16).padStart(width, "0")).join(":");
  return upper ? text.toUpperCase() : text;
}

describe("an address as a partition", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    [" 192.0.2.1\t", "192.0.2.1"],
    ["192.0.2.1:443", "192.0.2.1"],
  ])("reads IPv4 %j as %s", (text, partition) => {
    expect(ipPartition(text)).toBe(partition);
  });

  test.each([
    "::ffff:1.2.3.4",
    "::FFFF:1.2.3.4",
    "::ffff:102:304",
    "::ffff:0102:0304",
    "0:0:0:0:0:ffff:102:304",
    "0:0:0:0:0:ffff:0102:0304",
    "0000:0000:0000:0000:0000:FFFF:1.2.3.4",
    "0::ffff:1.2.3.4",
    "[::ffff:1.2.3.4]",
    "[::ffff:102:304]:8443",
    "::ffff:1.2.3.4%eth0",
    "64:ff9b::1.2.3.4",
    "64:ff9b::102:304",
  ])("reads %s, which carries IPv4, as that address", (text) => {
    expect(ipPartition(text)).toBe("1.2.3.4");
  });

  test.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::192.0.2.1", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
    ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["[fe80::1%25eth0]:80", "fe80:0:0:0::/64"],
    ["::ffff:0:1.2.3.4", "0:0:0:0::/64"],
    ["::1:ffff:1.2.3.4", "0:0:0:0::/64"],
    ["64:ff9b:1::1.2.3.4", "64:ff9b:1:0::/64"],
  ])("reads IPv6 %j as %s", (text, partition) => {
    expect(ipPartition(text)).toBe(partition);
  });

  test("reads every spelling of an IPv6 address alike, and every address of a /64", () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 0x2000, max: 0x3fff }), group, group, group),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (network, host, width, upper) => {
          const expected = `${spell(network, 1, false)}::/64`;
          expect(ipPartition(spell([...network, ...host], width, upper))).toBe(expected);
          expect(ipPartition(`${spell(network, width, upper)}::`)).toBe(expected);
        },
      ),
    );
  });

  test.each([
    "",
    " ",
    "unknown",
    "localhost",
    "example.com",
    "01.2.3.4",
    "1.2.3.04",
    "0x7f.0.0.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "127.1",
    "1.2.3",
    "1.2.3.",
    "1.2.3.4.",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.-4",
    "1.2.3.4, 5.6.7.8",
    "1.2.3.4 5.6.7.8",
    "1.2.3.4/24",
    "1.2.3.4:port",
    "１.2.3.4",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "12345::",
    "g::1",
    "::ffff:1.2.3",
    "::ffff:01.2.3.4",
    "::ffff:256.2.3.4",
    "2001:db8::/32",
    "[2001:db8::1",
    "2001:db8::1]",
    "[2001:db8::1]x",
    "[]",
    "1::1]@evil.example/[1::2",
    "1".repeat(300),
  ])("takes %j for no address", (text) => {
    expect(ipPartition(text)).toBeUndefined();
  });

  test("never throws, and answers in one of two forms", () => {
    const piece = fc.constantFrom(..."0123456789abcdef:.[]%/, x\0");
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 60 }), (text) => {
        expect(ipPartition(text) ?? "0.0.0.0").toMatch(
          /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){3}::\/64)$/,
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
