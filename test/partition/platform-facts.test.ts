import { describe, expect, test } from "vitest";

import type { ClientIp } from "../../src/partition/client-ip.ts";
import { platformFacts, tellsFacts } from "../../src/partition/platform-facts.ts";

const cf = { asn: 64496, country: "CH" };
const vercel = { "x-vercel-ip-as-number": "64497", "x-vercel-ip-country": "FR" };

/** What is known of a request that has the facts of both platforms. */
function factsOf(trusted: ClientIp, given: { cf?: unknown; fields?: Record<string, string> } = {}) {
  const headers = new Headers(given.fields ?? vercel);
  return platformFacts({ headers, cf: "cf" in given ? given.cf : cf }, trusted);
}

describe("the network and the country of a request", () => {
  test("are what the platform says that is trusted with the address, and nobody else", () => {
    expect(factsOf("cloudflare")).toEqual({ asn: 64496, country: "CH" });
    expect(factsOf("vercel")).toEqual({ asn: 64497, country: "FR" });
    expect(factsOf("socket")).toEqual({});
    expect(factsOf({ trustedHops: 1 })).toEqual({});
    expect(
      (["cloudflare", "vercel", "socket", { trustedHops: 1 }] as const).map(tellsFacts),
    ).toEqual([true, true, false, false]);
  });

  test.for<[cf: unknown, facts: object]>([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ asn: 0, country: "" }, {}],
    [{ asn: "64496", country: null }, {}],
    [
      { asn: 64496, country: "T1" },
      { asn: 64496, country: "T1" },
    ],
    [{ asn: 4_294_967_295, country: "ch" }, { asn: 4_294_967_295 }],
    [{ asn: 4_294_967_296, country: "XX" }, { country: "XX" }],
  ])("of cf %j are %j", ([cf, facts]) => {
    expect(factsOf("cloudflare", { cf })).toEqual(facts);
  });

  test.for<[fields: Record<string, string>, facts: object]>([
    [{}, {}],
    [{ "x-vercel-ip-as-number": "", "x-vercel-ip-country": "" }, {}],
    [{ "x-vercel-ip-as-number": "AS1" }, {}],
    [{ "x-vercel-ip-as-number": "1, 2", "x-vercel-ip-country": "CH, FR" }, {}],
    [{ "x-vercel-ip-as-number": "1.5", "x-vercel-ip-country": "CH" }, { country: "CH" }],
  ])("of Vercel's fields %j are %j", ([fields, facts]) => {
    expect(factsOf("vercel", { fields })).toEqual(facts);
  });
});
