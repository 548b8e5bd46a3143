import { describe, expect, test } from "vitest";

import type { ClientIp } from "../../src/partition/client-ip.ts";
import { platformFacts } from "../../src/partition/platform-facts.ts";
import { identify } from "./identify.ts";

const onVercel = { "x-vercel-ip-as-number": "3320", "x-vercel-ip-country": "DE" };
const onCloudflare = { asn: 13335, country: "FR" };
const everything = { headers: new Headers(onVercel), cf: onCloudflare };

describe("a platform's facts about an address", () => {
  test.each<[ClientIp, object]>([
    ["cloudflare", { asn: 13335, country: "FR" }],
    ["vercel", { asn: 3320, country: "DE" }],
    ["socket", {}],
    [{ trustedHops: 1 }, {}],
  ])("is believed only if it is trusted with the address: %j", (trusted, facts) => {
    expect(platformFacts(everything, trusted)).toEqual(facts);
  });

  test.each([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ asn: 0, country: "XX" }, {}],
    [{ asn: 2 ** 32, country: "Germany" }, {}],
    [{ asn: -1, country: null }, {}],
    [{ asn: 1.5, country: "" }, {}],
    [
      { asn: 2 ** 32 - 1, country: "T1" },
      { asn: 4_294_967_295, country: "T1" },
    ],
    [
      { asn: "AS7", country: "de" },
      { asn: 7, country: "DE" },
    ],
  ])("is read from %j", (cf, facts) => {
    expect(platformFacts({ headers: new Headers(), cf }, "cloudflare")).toEqual(facts);
  });

  test("makes identities", async () => {
    const asked = { cf: onCloudflare, fields: onVercel };
    expect(await identify(["asn"], asked)).toBe("asn:13335");
    expect(await identify(["country"], asked)).toBe("country:FR");
    expect(await identify(["asn"], asked, { clientIp: "vercel" })).toBe("asn:3320");
    expect(await identify(["country"], asked, { clientIp: "vercel" })).toBe("country:DE");
    expect(await identify(["asn", "country"], { cf: { country: "FR" } })).toBe("country:FR");
    expect(await identify(["asn", "country"], { fields: onVercel })).toBeUndefined();
  });
});
