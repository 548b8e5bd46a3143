import { describe, expect, test } from "vitest";

import { parseCidr } from "../../src/features/lists/cidr.ts";
import type { Refuse } from "../../src/options/faults.ts";

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

  test.for<[text: unknown, remedy: RegExp]>([
    [undefined, /^Give an address or a range/],
    [42, /^Give an address or a range/],
    ["", /^Give an address or a range/],
    ["/8", /^Give an address or a range/],
    ["10.0.0.0/", /^Give an address or a range/],
    ["10.0.0.0/08", /^Give an address or a range/],
    ["10.0.0.0/-1", /^Give an address or a range/],
    ["10.0.0.0/8/8", /^Give an address or a range/],
    ["10.0.0.0/255.0.0.0", /^Give an address or a range/],
    ["10.0.0/8", /^Give an address or a range/],
    ["10.*", /^Give an address or a range/],
    [" 10.0.0.0/8", /^Give an address or a range/],
    ["192.0.2.1:443", /^Give an address or a range/],
    ["[2001:db8::1]", /^Give an address or a range/],
    ["fe80::1%eth0", /^Give an address or a range/],
    ["example.com", /^Give an address or a range/],
    ["10.0.0.0/33", /from 0 to 32/],
    ["2001:db8::/129", /from 0 to 128/],
    ["10.1.2.3/8", /write "10\.0\.0\.0\/8", or "10\.1\.2\.3" for one address/],
    ["192.0.2.1/31", /write "192\.0\.2\.0\/31"/],
    ["1.2.3.4/0", /write "0\.0\.0\.0\/0"/],
    ["2001:db8::1/32", /write "2001:db8::\/32", or "2001:db8::1" for one address/],
    ["2001:db8:0:0:8000::/64", /write "2001:db8::\/64"/],
    ["::ffff:10.1.0.0/104", /write "10\.0\.0\.0\/8", or "10\.1\.0\.0" for one/],
    ["::ffff:0:0/96", /write those, such as "203/],
    ["64:ff9b::/96", /write those, such as "203/],
    ["64:ff9b::/64", /write those, such as "203/],
  ])("%j is refused", ([text, remedy]) => {
    const said: string[] = [];
    const refuse: Refuse = ({ say }, ...values) => {
      said.push(typeof say === "string" ? say : say(values[0] as never));
    };
    expect(parseCidr(text, refuse)).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(remedy)]);
  });
});
