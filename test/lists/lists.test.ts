import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Subject } from "../../src/features/lists/compile-list.ts";
import type { ListEntry, ListOptions } from "../../src/features/lists/list-options.ts";
import { compileLists } from "../../src/features/lists/lists.ts";
import { Faults } from "../../src/options/faults.ts";
import { readAddress } from "../../src/partition/ip-address.ts";

const ADDRESSES = ["10.1.2.3", "10.1.9.9", "10.9.9.9", "9.9.9.9", "2001:db8::1", "::2"];
const NOW_MS = Date.parse("2027-01-01T00:00:00Z");

function compiled(options: ListOptions) {
  const faults = new Faults();
  const lists = compileLists(options, "lists", faults);
  faults.throwIfAny();
  return lists!;
}

/** The facts about a request, with its address as text; without one, no address is asked for. */
interface Known extends Partial<Omit<Subject, "address">> {
  readonly ip?: string | undefined;
}

/** The verdict of the lists on a request of which only this is known. */
function find(options: ListOptions, { ip, ...subject }: Known, nowMs = NOW_MS) {
  const address = ip === undefined ? undefined : (readAddress(ip) ?? null);
  return compiled(options).find({ identities: [], ...subject, address }, nowMs);
}

describe("lists", () => {
  test.for<[entry: ListEntry, named: Known, other: Known]>([
    [{ cidr: "10.0.0.0/8" }, { ip: "10.255.0.1" }, { ip: "11.0.0.0" }],
    [{ cidr: "192.0.2.7" }, { ip: "192.0.2.7:443" }, { ip: "192.0.2.8" }],
    [{ cidr: "192.0.2.7" }, { ip: "::ffff:192.0.2.7" }, { ip: "::ffff:c000:208" }],
    [{ cidr: "192.0.2.0/24" }, { ip: "::ffff:c000:2ff" }, { ip: "::192.0.2.7" }],
    [{ cidr: "192.0.2.0/24" }, { ip: "64:ff9b::192.0.2.1" }, { ip: "64:ff9b::192.0.3.1" }],
    [{ cidr: "2001:db8::/32" }, { ip: "[2001:db8:1::1]:443" }, { ip: "2001:db9::" }],
    [{ cidr: "fe80::/10" }, { ip: "fe80::1%eth0" }, { ip: "fec0::1" }],
    [{ cidr: "2001:db8::1" }, { ip: "2001:DB8:0:0::1" }, { ip: "2001:db8::2" }],
    [{ cidr: "0.0.0.0/0" }, { ip: "255.255.255.255" }, { ip: "::1" }],
    [{ cidr: "::/0" }, { ip: "ffff::" }, { ip: "192.0.2.7" }],
    [{ cidr: "::/0" }, { ip: "::1" }, { ip: "::ffff:192.0.2.7" }],
    [{ identity: "user:42" }, { identities: ["a", "user:42"] }, { identities: ["user:4"] }],
    [{ asn: 64496 }, { asn: 64496 }, { asn: 64497 }],
    [{ asn: 64496 }, { asn: "64496" }, { asn: "AS64496" }],
    [{ country: "KP" }, { country: "KP" }, { country: "kp" }],
    [{ country: "T1" }, { country: "T1" }, {}],
  ])("with %j name %j and not %j", ([entry, named, other]) => {
    expect(find({ allow: [entry] }, named)).toBe("exempt");
    expect(find({ deny: [entry] }, named)).toBe("blocked");
    for (const options of [{ allow: [entry] }, { deny: [entry] }]) {
      expect(find(options, other)).toBeUndefined();
      expect(find(options, {})).toBeUndefined();
    }
  });

  test("where addresses are denied, let no client pass whose address is not known, until the last of them ends", () => {
    const unknown = { ip: "unknown" };
    const until = NOW_MS + 1;
    const deny = [{ cidr: "10.0.0.0/8", until }, { cidr: "::/0", until: until - 1 }, { asn: 1 }];
    expect(find({ deny }, unknown)).toBe("unknown");
    expect(find({ deny }, unknown, until)).toBeUndefined();
    expect(find({ allow: [{ identity: "ada" }], deny }, { ...unknown, identities: ["ada"] })).toBe(
      "exempt",
    );
    expect(find({ deny }, { ...unknown, asn: 1 })).toBe("blocked");
    for (const options of [{ allow: deny }, { deny: [{ asn: 1 }] }]) {
      expect(find(options, unknown)).toBeUndefined();
    }
  });

  test.for([
    { cidr: "192.0.2.0/24" },
    { cidr: "2001:db8::/32" },
    { identity: "ada" },
    { asn: 64496 },
    { country: "CH" },
  ])("name %j until its moment, and no longer", (named) => {
    const subject = {
      ip: "cidr" in named && named.cidr?.includes(":") ? "2001:db8::1" : "192.0.2.1",
      identities: ["ada"],
      asn: 64496,
      country: "CH",
    };
    for (const until of ["2027-01-01T00:00:00Z", "2027-01-01T05:30:00.000+05:30", NOW_MS]) {
      const options = { deny: [{ ...named, until } as ListEntry] };
      expect(find(options, subject, NOW_MS - 1)).toBe("blocked");
      expect(find(options, subject, NOW_MS)).toBeUndefined();
    }
  });

  test("agree with going through all entries", () => {
    const until = fc.constantFrom(undefined, NOW_MS - 1, NOW_MS, NOW_MS + 1);
    const named = fc.oneof(
      fc
        .constantFrom("0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3")
        .map((cidr) => ({ cidr })),
      fc.constantFrom("::/0", "2001:db8::/32", "2001:db8::1").map((cidr) => ({ cidr })),
      fc.constantFrom("ada", "bob").map((identity) => ({ identity })),
      fc.constantFrom(1, 2).map((asn) => ({ asn })),
      fc.constantFrom("CH", "KP").map((country) => ({ country })),
    );
    const entry = fc
      .tuple(named, until)
      .map(([named, until]) => Object.assign({ until }, named) as ListEntry);
    const list = fc.array(entry, { maxLength: 4 });
    const subject = fc.record({
      ip: fc.constantFrom(undefined, ...ADDRESSES),
      asn: fc.constantFrom(undefined, 1, 3),
      country: fc.constantFrom(undefined, "CH", "FR"),
      identities: fc.subarray(["ada", "carl"]),
    });
    const starts: Record<string, string> = {
      "0.0.0.0/0": "",
      "10.0.0.0/8": "10.",
      "10.1.0.0/16": "10.1.",
      "::/0": "",
      "2001:db8::/32": "2001:db8::",
    };
    const covers = (cidr: string, ip: string | undefined) =>
      ip?.includes(":") === cidr.includes(":") && ip!.startsWith(starts[cidr] ?? cidr);
    const names = (entry: ListEntry, { ip, asn, country, identities = [] }: Known) => {
      if (entry.until !== undefined && Number(entry.until) <= NOW_MS) return false;
      if (entry.cidr !== undefined) return covers(entry.cidr, ip);
      if (entry.identity !== undefined) return identities.includes(entry.identity);
      return entry.asn === undefined ? entry.country === country : entry.asn === asn;
    };
    fc.assert(
      fc.property(list, list, subject, (allow, deny, subject) => {
        const expected = allow.some((entry) => names(entry, subject))
          ? "exempt"
          : deny.some((entry) => names(entry, subject))
            ? "blocked"
            : undefined;
        expect(find({ allow, deny }, subject)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("say which kinds of entries they have, so that no other fact need be known", () => {
    const lists = compiled({
      allow: [{ identity: "ada" }],
      deny: [{ cidr: "10.0.0.0/8" }, { cidr: "11.0.0.0/8" }, { identity: "bob" }],
    });
    const kinds = [...lists.kinds].map(([kind, entries]) => [
      kind,
      entries.map(({ path, value }) => `${path}: ${value}`),
    ]);
    expect(kinds).toEqual([
      ["identity", ["lists.allow[0].identity: ada", "lists.deny[2].identity: bob"]],
      ["cidr", ["lists.deny[0].cidr: 10.0.0.0/8", "lists.deny[1].cidr: 11.0.0.0/8"]],
    ]);
    expect(lists.identities).toEqual(["ada", "bob"]);
  });

  test("are not there unless they are given, and may be empty", () => {
    const faults = new Faults();
    expect(compileLists(undefined, "lists", faults)).toBeUndefined();
    expect(faults.list).toEqual([]);
    expect(find({}, { ip: "10.0.0.1" })).toBeUndefined();
    expect(find({ allow: [], deny: [] }, { ip: "10.0.0.1" })).toBeUndefined();
  });
});
