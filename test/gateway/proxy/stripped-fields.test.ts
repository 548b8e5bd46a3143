import { describe, expect, test } from "vitest";

import { gatewayTo, generous, startOrigin } from "../../support/gateway/gateway.ts";
import { useDeployed } from "../deployed.ts";
import { words } from "../origins/spellings.ts";

/** Fields that a platform hands to the code that runs on it, that open a deployment, or that name another address. */
const STRIPPED = words(`
  x-vercel-oidc-token x-vercel-sc-headers x-vercel-sc-host x-vercel-sc-basepath x-vercel-proxy-signature
  x-vercel-proxy-signature-ts x-vercel-trusted-oidc-idp-token x-vercel-protection-bypass x-vercel-set-bypass-cookie
  x-vercel-internal-bot-check x-vercel-internal-intra-session cf-workers-preview-token x-original-url x-rewrite-url
  x_original_url x-rewrite_url
`);

/** Fields that an origin may need, or has asked its own clients for. */
const KEPT = words(`
  authorization cookie cf-access-jwt-assertion cf-ray x-original-host x-original-url-scheme x-vercel-deployment-url
  x-vercel-forwarded-for x-vercel-id x-vercel-ip-country x-vercel-ja4-digest x-vercel-signature
`);

const fields = Object.fromEntries([...STRIPPED, ...KEPT].map((name) => [name, `of ${name}`]));
const listed = [...STRIPPED, "x-vercel-id", "cf-ray"].join(", ");
const requests: [string, Record<string, string>][] = [
  ["", fields],
  [", named in Connection", { ...fields, connection: `close, ${listed}` }],
  [
    ", in capitals",
    Object.fromEntries(Object.entries(fields).map(([k, v]) => [k.toUpperCase(), v])),
  ],
];

describe("a gateway in Node", () => {
  test.each(requests)(
    "keeps credentials and other addresses from the origin%s",
    async (_, headers) => {
      const origin = await startOrigin();
      const ask = gatewayTo(origin.url, generous);
      expect((await ask("/x", { headers })).status).toBe(200);
      const names = Object.keys(origin.seen[0]!.fields);
      expect(names.filter((name) => STRIPPED.includes(name))).toEqual([]);
      expect(names).toEqual(expect.arrayContaining([...KEPT]));
    },
  );

  test.each([
    ["for=192.0.2.1;host=a.example;sig=QmVhcmVy=;exp=9", "for=192.0.2.1;host=a.example;exp=9"],
    ['for=192.0.2.1; SIG="a;b,c", for=192.0.2.2', "for=192.0.2.1, for=192.0.2.2"],
    ["sig=x;for=192.0.2.1, sig=y", "for=192.0.2.1, "],
    ["for=192.0.2.1;sigma=1", "for=192.0.2.1;sigma=1"],
    ["for=192.0.2.1;xsig=1", "for=192.0.2.1;xsig=1"],
  ])("keeps Vercel's signature from the origin in Forwarded, too: %s", async (forwarded, kept) => {
    const origin = await startOrigin();
    await gatewayTo(origin.url, generous)("/x", { headers: { forwarded } });
    expect(origin.seen[0]!.fields["forwarded"]).toEqual([kept.trim()]);
  });
});

describe("the deployed worker", () => {
  const deployed = useDeployed();

  test("keeps them from the origin, too", async () => {
    const seen: string[][] = [];
    deployed.answer((request, response) => {
      seen.push(Object.keys(request.headers));
      response.end();
    });
    expect((await deployed.ask("/x", { headers: fields })).status).toBe(200);
    expect(seen[0]!.filter((name) => STRIPPED.includes(name))).toEqual([]);
    expect(seen[0]).toEqual(expect.arrayContaining([...KEPT]));
  });
});
