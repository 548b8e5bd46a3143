import { describe, expect, test } from "vitest";

import { compileLists } from "../../src/features/lists/lists.ts";
import { Faults } from "../../src/options/faults.ts";

function faultsOf(lists: unknown) {
  const faults = new Faults();
  compileLists(lists, "lists", faults);
  return faults.list;
}

const denied = (...entries: unknown[]) => ({ deny: entries });
const until = (moment: unknown) => denied({ country: "CH", until: moment });

describe("a fault of the lists", () => {
  test.for<[fault: string, lists: unknown, remedy: RegExp]>([
    ["lists: null", null, /^Give a table of allow and deny/],
    ['lists: "10.0.0.0/8"', "10.0.0.0/8", /^Give a table of allow and deny/],
    ['lists: [{"asn":1}]', [{ asn: 1 }], /^Give a table of allow and deny/],
    ["lists: {}", new Map([["deny", []]]), /^Give a table of allow and deny/],
    ['lists.alow: "(an object)"', { alow: [] }, /^Did you mean `allow`\?/],
    ['lists.block: "(a string)"', { block: "x" }, /^The options are allow, deny/],
    ["lists.deny: {}", { deny: {} }, /^Give a list of entries/],
    ['lists.allow: "10.0.0.0/8"', { allow: "10.0.0.0/8" }, /^Give a list of entries/],
    ["lists.allow: null", { allow: null }, /^Give a list of entries/],
    ['lists.deny[0]: "10.0.0.0/8"', denied("10.0.0.0/8"), /^Give exactly one of cidr/],
    ["lists.deny[0]: null", denied(null), /^Give exactly one of cidr/],
    ["lists.deny[0]: []", denied([]), /^Give exactly one of cidr/],
    ["lists.deny[0]: {}", denied({}), /^Give exactly one of cidr/],
    ["lists.deny[0]: missing", { deny: Array(1) }, /^Give exactly one of cidr/],
    [
      'lists.deny[0]: {"until":"2027-01-01T00:00:00Z"}',
      denied({ until: "2027-01-01T00:00:00Z" }),
      /^Give exactly one of cidr/,
    ],
    ['lists.deny[0]: "asn and country"', denied({ asn: 1, country: "CH" }), /^Give exactly one/],
    [
      'lists.deny[0].cidrs: "10.0.0.0/8"',
      denied({ cidrs: "10.0.0.0/8" }),
      /^Did you mean `cidr`\? The options are cidr, identity, asn, country, until/,
    ],
    ["lists.deny[0].til: 5", denied({ asn: 1, til: 5 }), /^Did you mean `until`\?/],
    ["lists.deny[0].cidr: 10", denied({ cidr: 10 }), /^Give an address or a range/],
    ['lists.deny[0].cidr: "10.0.0.0/33"', denied({ cidr: "10.0.0.0/33" }), /from 0 to 32/],
    [
      'lists.deny[0].cidr: "10.1.2.3/8"',
      denied({ cidr: "10.1.2.3/8" }),
      /write "10\.0\.0\.0\/8", or "10\.1\.2\.3" for one address/,
    ],
    ['lists.deny[0].identity: ""', denied({ identity: "" }), /at least one character/],
    ["lists.deny[0].identity: 42", denied({ identity: 42 }), /at least one character/],
    ['lists.deny[0].asn: "64496"', denied({ asn: "64496" }), /^Give a number from 1/],
    ['lists.deny[0].asn: "AS64496"', denied({ asn: "AS64496" }), /without "AS", such as 64496/],
    ["lists.deny[0].asn: 0", denied({ asn: 0 }), /^Give a number from 1/],
    ["lists.deny[0].asn: 1.5", denied({ asn: 1.5 }), /^Give a number from 1/],
    ["lists.deny[0].asn: 4294967296", denied({ asn: 2 ** 32 }), /to 4294967295/],
    ['lists.deny[0].country: "kp"', denied({ country: "kp" }), /^Give two capitals/],
    ['lists.deny[0].country: "PRK"', denied({ country: "PRK" }), /^Give two capitals/],
    ["lists.deny[0].country: 1", denied({ country: 1 }), /^Give two capitals/],
    ['lists.deny[0].until: "tomorrow"', until("tomorrow"), /^Give a moment with its time zone/],
    ['lists.deny[0].until: "2027-01-01"', until("2027-01-01"), /^Give a moment/],
    ['lists.deny[0].until: "2027-01-01T00:00:00"', until("2027-01-01T00:00:00"), /time zone/],
    ['lists.deny[0].until: "2027-02-30T00:00:00Z"', until("2027-02-30T00:00:00Z"), /moment/],
    ['lists.deny[0].until: "2027-13-01T00:00:00Z"', until("2027-13-01T00:00:00Z"), /moment/],
    ['lists.deny[0].until: "2027-01-01T25:00:00Z"', until("2027-01-01T25:00:00Z"), /moment/],
    // In seconds.
    ["lists.deny[0].until: 1800000000", until(1_800_000_000), /milliseconds since 1970/],
    ["lists.deny[0].until: 999999999999", until(1e12 - 1), /milliseconds since 1970/],
    ["lists.deny[0].until: 8640000000000001", until(8.64e15 + 1), /milliseconds since 1970/],
    ["lists.deny[0].until: NaN", until(NaN), /milliseconds since 1970/],
    ["lists.deny[0].until: Infinity", until(Infinity), /milliseconds since 1970/],
    ["lists.deny[0].until: null", until(null), /^Give a moment/],
  ])("%s, of %j", ([fault, lists, remedy]) => {
    const faults = faultsOf(lists);
    expect(faults.map(({ path, value }) => `${path}: ${value}`)).toEqual([fault]);
    expect(faults[0]!.remedy).toMatch(remedy);
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
