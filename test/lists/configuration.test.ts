import { describe, expect, test } from "vitest";

import { compileLists } from "../../src/features/lists/lists.ts";
import type { FaultCode } from "../../src/options/errors.ts";
import { Faults } from "../../src/options/faults.ts";

function faultsOf(lists: unknown) {
  const faults = new Faults();
  compileLists(lists, "lists", faults);
  return faults.list;
}

const denied = (...entries: unknown[]) => ({ deny: entries });
const until = (moment: unknown) => denied({ country: "CH", until: moment });

describe("a fault of the lists", () => {
  test.for<[fault: string, lists: unknown, code: FaultCode, says?: string]>([
    ["lists: null", null, "shape"],
    ['lists: "10.0.0.0/8"', "10.0.0.0/8", "shape"],
    ['lists: [{"asn":1}]', [{ asn: 1 }], "shape"],
    ["lists: {}", new Map([["deny", []]]), "shape"],
    ['lists.alow: "(an object)"', { alow: [] }, "unknown-option", "`allow`"],
    ['lists.block: "(a string)"', { block: "x" }, "unknown-option"],
    ["lists.deny: {}", { deny: {} }, "shape"],
    ['lists.allow: "10.0.0.0/8"', { allow: "10.0.0.0/8" }, "shape"],
    ["lists.allow: null", { allow: null }, "shape"],
    ['lists.deny[0]: "10.0.0.0/8"', denied("10.0.0.0/8"), "shape"],
    ["lists.deny[0]: null", denied(null), "shape"],
    ["lists.deny[0]: []", denied([]), "shape"],
    ["lists.deny[0]: {}", denied({}), "shape"],
    ["lists.deny[0]: missing", { deny: Array(1) }, "shape"],
    [
      'lists.deny[0]: {"until":"2027-01-01T00:00:00Z"}',
      denied({ until: "2027-01-01T00:00:00Z" }),
      "shape",
    ],
    ['lists.deny[0]: "asn and country"', denied({ asn: 1, country: "CH" }), "shape"],
    [
      'lists.deny[0].cidrs: "10.0.0.0/8"',
      denied({ cidrs: "10.0.0.0/8" }),
      "unknown-option",
      "`cidr`",
    ],
    ["lists.deny[0].til: 5", denied({ asn: 1, til: 5 }), "unknown-option", "`until`"],
    ["lists.deny[0].cidr: 10", denied({ cidr: 10 }), "shape"],
    ['lists.deny[0].cidr: "10.0.0.0/33"', denied({ cidr: "10.0.0.0/33" }), "range", "to 32"],
    [
      'lists.deny[0].cidr: "10.1.2.3/8"',
      denied({ cidr: "10.1.2.3/8" }),
      "shape",
      '"10.0.0.0/8", or "10.1.2.3"',
    ],
    ['lists.deny[0].identity: ""', denied({ identity: "" }), "shape"],
    ["lists.deny[0].identity: 42", denied({ identity: 42 }), "shape"],
    ['lists.deny[0].asn: "64496"', denied({ asn: "64496" }), "range"],
    ['lists.deny[0].asn: "AS64496"', denied({ asn: "AS64496" }), "range"],
    ["lists.deny[0].asn: 0", denied({ asn: 0 }), "range"],
    ["lists.deny[0].asn: 1.5", denied({ asn: 1.5 }), "range"],
    ["lists.deny[0].asn: 4294967296", denied({ asn: 2 ** 32 }), "range"],
    ['lists.deny[0].country: "kp"', denied({ country: "kp" }), "shape"],
    ['lists.deny[0].country: "PRK"', denied({ country: "PRK" }), "shape"],
    ["lists.deny[0].country: 1", denied({ country: 1 }), "shape"],
    ['lists.deny[0].until: "tomorrow"', until("tomorrow"), "shape"],
    ['lists.deny[0].until: "2027-01-01"', until("2027-01-01"), "shape"],
    ['lists.deny[0].until: "2027-01-01T00:00:00"', until("2027-01-01T00:00:00"), "shape"],
    ['lists.deny[0].until: "2027-02-30T00:00:00Z"', until("2027-02-30T00:00:00Z"), "shape"],
    ['lists.deny[0].until: "2027-13-01T00:00:00Z"', until("2027-13-01T00:00:00Z"), "shape"],
    ['lists.deny[0].until: "2027-01-01T25:00:00Z"', until("2027-01-01T25:00:00Z"), "shape"],
    // In seconds.
    ["lists.deny[0].until: 1800000000", until(1_800_000_000), "shape"],
    ["lists.deny[0].until: 999999999999", until(1e12 - 1), "shape"],
    ["lists.deny[0].until: 8640000000000001", until(8.64e15 + 1), "shape"],
    ["lists.deny[0].until: NaN", until(NaN), "shape"],
    ["lists.deny[0].until: Infinity", until(Infinity), "shape"],
    ["lists.deny[0].until: null", until(null), "shape"],
  ])("%s, of %j", ([fault, lists, code, says = ""]) => {
    const faults = faultsOf(lists);
    expect(faults.map(({ path, value }) => `${path}: ${value}`)).toEqual([fault]);
    expect(faults).toMatchObject([{ code, remedy: expect.stringContaining(says) }]);
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
