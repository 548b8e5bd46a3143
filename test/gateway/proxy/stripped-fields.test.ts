import { describe, expect, test } from "vitest";

import { gatewayTo, generous, startOrigin } from "../../support/gateway/gateway.ts";
import { useDeployed } from "../deployed.ts";
import { words } from "../origins/spellings.ts";

/** Fields that a platform hands to the code that runs on it, that open a deployment, or that name another address. */
const STRIPPED = words(`
  x-vercel-oidc-token x-vercel-sc-headers x-vercel-sc-host x-vercel-sc-basepath x-vercel-proxy-signature
  x-vercel-proxy-signature-ts x-vercel-trusted-oidc-idp-token x-vercel-protection-bypass x-vercel-set-bypass-cookie
  x-vercel-internal-bot-check x-vercel-internal-intra-session cf-workers-preview-token x-original-url x-rewrite-url
  x_original_url x-rewrite_url x-original-host
`);

/** Fields that an origin may need, or has asked its own clients for. */
const KEPT = words("authorization cookie x-original-url-scheme");

/** Those of the platforms, each behind its own. */
const TOLD = {
  cloudflare: words("cf-access-jwt-assertion cf-ray"),
  vercel: words(`
    x-vercel-deployment-url x-vercel-forwarded-for x-vercel-id x-vercel-ip-country x-vercel-ja4-digest x-vercel-signature
  `),
};

const fields = Object.fromEntries(
  [...STRIPPED, ...KEPT, ...TOLD.cloudflare, ...TOLD.vercel].map((name) => [name, `of ${name}`]),
);
const listed = [...STRIPPED, "x-vercel-id", "cf-ray"].join(", ");
const requests: [string, Record<string, string>][] = [
  ["", fields],
  [", named in Connection", { ...fields, connection: `close, ${listed}` }],
  [
    ", in capitals",
    Object.fromEntries(Object.entries(fields).map(([k, v]) => [k.toUpperCase(), v])),
  ],
];

describe.each(["cloudflare", "vercel"] as const)("a gateway in Node behind %s", (CLIENT_IP) => {
  test.each(requests)(
    "keeps credentials and other addresses from the origin%s",
    async (_, headers) => {
      const origin = await startOrigin();
      const ask = gatewayTo(origin.url, generous, { CLIENT_IP });
      expect((await ask("/x", { headers })).status).toBe(200);
      const names = Object.keys(origin.seen[0]!.fields);
      expect(names.filter((name) => STRIPPED.includes(name))).toEqual([]);
      expect(names).toEqual(expect.arrayContaining([...KEPT, ...TOLD[CLIENT_IP]]));
    },
  );
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
    expect(seen[0]).toEqual(expect.arrayContaining([...KEPT, ...TOLD.cloudflare]));
  });
});
