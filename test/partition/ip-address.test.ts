import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { formatAddress, ipPartition, parseAddress } from "../../src/partition/ip-address.ts";

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

  const CARRIERS = `::ffff:1.2.3.4 ::FFFF:1.2.3.4 ::ffff:102:304 ::ffff:0102:0304 0:0:0:0:0:ffff:102:304
    0:0:0:0:0:ffff:0102:0304 0000:0000:0000:0000:0000:FFFF:1.2.3.4 0::ffff:1.2.3.4
    [::ffff:1.2.3.4] [::ffff:102:304]:8443 ::ffff:1.2.3.4%eth0 64:ff9b::1.2.3.4
    64:ff9b::102:304`;

  test.each(CARRIERS.split(/\s+/))("reads %s, which carries IPv4, as that address", (text) => {
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
    ["64:ff9b::1:1.2.3.4", "64:ff9b:0:0::/64"],
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

  const NONE = `unknown localhost example.com 01.2.3.4 1.2.3.04 0x7f.0.0.1 0x7f000001 2130706433
    0177.0.0.1 127.1 1.2.3 1.2.3. 1.2.3.4. 1.2.3.4.5 256.1.1.1 1.2.3.-4 1.2.3.4/24
    1.2.3.4:port １.2.3.4 : ::: 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 12345:: g::1
    ::ffff:1.2.3 ::ffff:01.2.3.4 ::ffff:256.2.3.4 2001:db8::/32 [2001:db8::1 2001:db8::1]
    [2001:db8::1]x [] 1::1]@evil.example/[1::2`;

  test.each([
    ...NONE.split(/\s+/),
    "",
    " ",
    "1.2.3.4, 5.6.7.8",
    "1.2.3.4 5.6.7.8",
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

describe("all of an address", () => {
  const group = fc.oneof(fc.constantFrom(0, 0, 1, 0xffff), fc.integer({ min: 0, max: 0xffff }));

  /** The platform's URL parser's form of an IPv6 address. */
  function canonical(text: string): string | undefined {
    const isUrl = /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
    return isUrl ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined;
  }

  test("agrees with the platform's URL parser, for any text of its characters", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "",
        ":",
        "::",
        "0",
        "1",
        "ffff",
        "00001",
        "g",
        "1.2.3.4",
        "1.2.3",
        "256.0.0.1",
      ),
      group.map((value) => value.toString(16)),
    );
    const joined = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(":"));
    const loose = fc.string({ unit: fc.constantFrom(..."0123abF:::.."), maxLength: 42 });
    const whole = fc
      .tuple(fc.array(group, { minLength: 1, maxLength: 8 }), fc.nat(8))
      .map(([groups, gap]) => {
        const hex = groups.map((value) => value.toString(16));
        return `${hex.slice(0, gap).join(":")}::${hex.slice(gap).join(":")}`;
      });
    fc.assert(
      fc.property(fc.oneof(joined, loose, whole), (text) => {
        fc.pre(!/^[\d.]*$/.test(text));
        const address = parseAddress(text);
        const url = canonical(text);
        expect([text, address !== undefined]).toEqual([text, url !== undefined]);
        if (address?.length === 4) expect(formatAddress(address)).toBe(url);
      }),
      { numRuns: 3_000 },
    );
  });

  test("is one word of IPv4, four of IPv6", () => {
    expect(parseAddress("1.2.3.4")).toEqual([0x0102_0304]);
    expect(parseAddress("255.255.255.255")).toEqual([0xffff_ffff]);
    expect(parseAddress("::ffff:1.2.3.4")).toEqual([0x0102_0304]);
    expect(parseAddress("2001:db8::8000:1")).toEqual([0x2001_0db8, 0, 0, 0x8000_0001]);
    expect(parseAddress("ffff::")).toEqual([0xffff_0000, 0, 0, 0]);
    expect(formatAddress([0xfffe_0102])).toBe("255.254.1.2");
  });

  test("has no port, brackets, zone or blanks", () => {
    for (const text of ["1.2.3.4:80", "[::1]", "::1%eth0", " 1.2.3.4", "::1 "]) {
      expect([text, parseAddress(text)]).toEqual([text, undefined]);
    }
  });
});
