import { describe, expect, test } from "vitest";

import { compileLists } from "../../src/lists/lists.ts";
import { Faults } from "../../src/options/faults.ts";

function faultsOf(lists: unknown) {
  const faults = new Faults();
  compileLists(lists, "lists", faults);
  return faults.list;
}

const denied = (...entries: unknown[]) => ({ deny: entries });
const until = (moment: unknown) => denied({ country: "CH", until: moment });

describe("a fault of the lists", () => {
  test.for<[lists: unknown, path: string, value: string, remedy: RegExp]>([
    [null, "lists", "null", /^Give a table of allow and deny/],
    ["10.0.0.0/8", "lists", '"10.0.0.0/8"', /^Give a table of allow and deny/],
    [[{ asn: 1 }], "lists", '[{"asn":1}]', /^Give a table of allow and deny/],
    [new Map([["deny", []]]), "lists", "{}", /^Give a table of allow and deny/],
    [{ alow: [] }, "lists.alow", '"(an object)"', /^Did you mean `allow`\?/],
    [{ block: "x" }, "lists.block", '"(a string)"', /^The options are allow, deny/],
    [{ deny: {} }, "lists.deny", "{}", /^Give a list of entries/],
    [{ allow: "10.0.0.0/8" }, "lists.allow", '"10.0.0.0/8"', /^Give a list of entries/],
    [{ allow: null }, "lists.allow", "null", /^Give a list of entries/],
    [denied("10.0.0.0/8"), "lists.deny[0]", '"10.0.0.0/8"', /^Give exactly one of cidr/],
    [denied(null), "lists.deny[0]", "null", /^Give exactly one of cidr/],
    [denied([]), "lists.deny[0]", "[]", /^Give exactly one of cidr/],
    [denied({}), "lists.deny[0]", "{}", /^Give exactly one of cidr/],
    [{ deny: Array(1) }, "lists.deny[0]", "missing", /^Give exactly one of cidr/],
    [
      denied({ until: "2027-01-01T00:00:00Z" }),
      "lists.deny[0]",
      '{"until":"2027-01-01T00:00:00Z"}',
      /^Give exactly one of cidr/,
    ],
    [denied({ asn: 1, country: "CH" }), "lists.deny[0]", '"asn and country"', /^Give exactly one/],
    [
      denied({ cidrs: "10.0.0.0/8" }),
      "lists.deny[0].cidrs",
      '"10.0.0.0/8"',
      /^Did you mean `cidr`\? The options are cidr, identity, asn, country, until/,
    ],
    [denied({ asn: 1, til: 5 }), "lists.deny[0].til", "5", /^Did you mean `until`\?/],
    [denied({ cidr: 10 }), "lists.deny[0].cidr", "10", /^Give an address or a range/],
    [denied({ cidr: "10.0.0.0/33" }), "lists.deny[0].cidr", '"10.0.0.0/33"', /from 0 to 32/],
    [
      denied({ cidr: "10.1.2.3/8" }),
      "lists.deny[0].cidr",
      '"10.1.2.3/8"',
      /write "10\.0\.0\.0\/8", or "10\.1\.2\.3" for one address/,
    ],
    [denied({ identity: "" }), "lists.deny[0].identity", '""', /at least one character/],
    [denied({ identity: 42 }), "lists.deny[0].identity", "42", /at least one character/],
    [denied({ asn: "64496" }), "lists.deny[0].asn", '"64496"', /^Give a number from 1/],
    [denied({ asn: "AS64496" }), "lists.deny[0].asn", '"AS64496"', /without "AS", such as 64496/],
    [denied({ asn: 0 }), "lists.deny[0].asn", "0", /^Give a number from 1/],
    [denied({ asn: 1.5 }), "lists.deny[0].asn", "1.5", /^Give a number from 1/],
    [denied({ asn: 2 ** 32 }), "lists.deny[0].asn", "4294967296", /to 4294967295/],
    [denied({ country: "kp" }), "lists.deny[0].country", '"kp"', /^Give two capitals/],
    [denied({ country: "PRK" }), "lists.deny[0].country", '"PRK"', /^Give two capitals/],
    [denied({ country: 1 }), "lists.deny[0].country", "1", /^Give two capitals/],
    [until("tomorrow"), "lists.deny[0].until", '"tomorrow"', /^Give a moment with its time zone/],
    [until("2027-01-01"), "lists.deny[0].until", '"2027-01-01"', /^Give a moment/],
    [until("2027-01-01T00:00:00"), "lists.deny[0].until", '"2027-01-01T00:00:00"', /time zone/],
    [until("2027-02-30T00:00:00Z"), "lists.deny[0].until", expect.any(String) as never, /moment/],
    [until("2027-13-01T00:00:00Z"), "lists.deny[0].until", expect.any(String) as never, /moment/],
    [until("2027-01-01T25:00:00Z"), "lists.deny[0].until", expect.any(String) as never, /moment/],
    // In seconds.
    [until(1_800_000_000), "lists.deny[0].until", "1800000000", /milliseconds since 1970/],
    [until(1e12 - 1), "lists.deny[0].until", "999999999999", /milliseconds since 1970/],
    [until(8.64e15 + 1), "lists.deny[0].until", "8640000000000001", /milliseconds since 1970/],
    [until(NaN), "lists.deny[0].until", "NaN", /milliseconds since 1970/],
    [until(Infinity), "lists.deny[0].until", "Infinity", /milliseconds since 1970/],
    [until(null), "lists.deny[0].until", "null", /^Give a moment/],
  ])("%j is said to be at %s", ([lists, path, value, remedy]) => {
    expect(faultsOf(lists)).toEqual([
      { path, value, code: expect.any(String), remedy: expect.stringMatching(remedy) },
    ]);
  });

  test.each([1e12, 8.64e15])("is no moment from 2001 to the last one of a date: %d", (moment) => {
    expect(faultsOf(until(moment))).toEqual([]);
  });

  test("is said together with all others, once each", () => {
    const faults = faultsOf({
      allow: [{ cidr: "x", until: "y" }, { asn: 1 }, { country: "x" }],
      deny: [{ asn: -1 }, { identity: "", cidr: "10.0.0.1/8" }, { idenity: "x" }],
      refuse: [],
    });
    expect(faults.map(({ path }) => path)).toEqual([
      "lists.refuse",
      "lists.allow[0].until",
      "lists.allow[0].cidr",
      "lists.allow[2].country",
      "lists.deny[0].asn",
      "lists.deny[1]",
      "lists.deny[1].cidr",
      "lists.deny[1].identity",
      "lists.deny[2].idenity",
    ]);
  });

  test("shows no identity, which may be a secret", () => {
    const faults = new Faults();
    const form = {
      spell: () => undefined,
      fault: { code: "shape", say: "Write a header." },
    } as const;
    compileLists(
      { deny: [{ identity: "hunter2" }, { identity: "hunter2", asn: 1 }, { idenity: "hunter2" }] },
      "lists",
      faults,
      form,
    );
    expect(faults.list.map(({ path, value }) => [path, value])).toEqual([
      ["lists.deny[0].identity", '"(hidden)"'],
      ["lists.deny[1]", '"identity and asn"'],
      ["lists.deny[1].identity", '"(hidden)"'],
      ["lists.deny[2].idenity", '"(a string)"'],
    ]);
  });
});
