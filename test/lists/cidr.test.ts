import { describe, expect, test } from "vitest";

import { parseCidr } from "../../src/features/lists/address-ranges.ts";
import type { Refuse } from "../../src/options/faults.ts";
import { CIDR, CIDR_BITS, CIDR_OF_IPV4, CIDR_PREFIX } from "../../src/options/messages.ts";

const V4 = 192 * 2 ** 24 + 2 * 2 ** 8;

describe("a range of addresses", () => {
  test.for<[text: string, first: number[], prefix: number]>([
    ["192.0.2.0/24", [V4], 24],
    ["192.0.2.7", [V4 + 7], 32],
    ["192.0.2.7/32", [V4 + 7], 32],
    ["192.0.2.6/31", [V4 + 6], 31],
    ["0.0.0.0/0", [0], 0],
    ["128.0.0.0/1", [2 ** 31], 1],
    ["::/0", [0, 0, 0, 0], 0],
    ["::1", [0, 0, 0, 1], 128],
    ["2001:db8::/32", [0x2001_0db8, 0, 0, 0], 32],
    ["2001:DB8:0::/33", [0x2001_0db8, 0, 0, 0], 33],
    ["2001:db8::8000:0:0:0/65", [0x2001_0db8, 0, 0x8000_0000, 0], 65],
    ["::ffff:192.0.2.0/120", [V4], 24],
    ["::ffff:c000:207", [V4 + 7], 32],
    ["64:ff9b::192.0.2.7", [V4 + 7], 32],
    ["::ffff:128.0.0.0/97", [2 ** 31], 1],
    // Another address than a mapped one, although it contains all of them.
    ["::/80", [0, 0, 0, 0], 80],
  ])("%s is read", ([text, first, prefix]) => {
    expect(parseCidr(text)).toEqual({ first, prefix });
  });

  test.for<[text: unknown, kind: object, values?: unknown]>([
    [undefined, CIDR],
    [42, CIDR],
    ["", CIDR],
    ["/8", CIDR],
    ["10.0.0.0/", CIDR],
    ["10.0.0.0/08", CIDR],
    ["10.0.0.0/-1", CIDR],
    ["10.0.0.0/8/8", CIDR],
    ["10.0.0.0/255.0.0.0", CIDR],
    ["10.0.0/8", CIDR],
    ["10.*", CIDR],
    [" 10.0.0.0/8", CIDR],
    ["192.0.2.1:443", CIDR],
    ["[2001:db8::1]", CIDR],
    ["fe80::1%eth0", CIDR],
    ["example.com", CIDR],
    ["10.0.0.0/33", CIDR_PREFIX, 32],
    ["2001:db8::/129", CIDR_PREFIX, 128],
    ["10.1.2.3/8", CIDR_BITS, { range: "10.0.0.0/8", address: "10.1.2.3" }],
    ["192.0.2.1/31", CIDR_BITS, { range: "192.0.2.0/31", address: "192.0.2.1" }],
    ["1.2.3.4/0", CIDR_BITS, { range: "0.0.0.0/0", address: "1.2.3.4" }],
    ["2001:db8::1/32", CIDR_BITS, { range: "2001:db8::/32", address: "2001:db8::1" }],
    [
      "2001:db8:0:0:8000::/64",
      CIDR_BITS,
      { range: "2001:db8::/64", address: "2001:db8:0:0:8000::" },
    ],
    ["::ffff:10.1.0.0/104", CIDR_BITS, { range: "10.0.0.0/8", address: "10.1.0.0" }],
    ["::ffff:0:0/96", CIDR_OF_IPV4],
    ["64:ff9b::/96", CIDR_OF_IPV4],
    ["64:ff9b::/64", CIDR_OF_IPV4],
  ])("%j is refused", ([text, kind, values]) => {
    const refused: unknown[] = [];
    const refuse: Refuse = (kind, ...given) => void refused.push([kind, ...given]);
    expect(parseCidr(text, refuse)).toBeUndefined();
    expect(refused).toEqual([values === undefined ? [kind] : [kind, values]]);
  });
});
