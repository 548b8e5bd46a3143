import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";

const ADMIN_TOKEN = "mV3kT9xQ2bLr7WcYp0NsHd5Zf8Gj1Ua6Re4Ki0Xo2c=";

test("in workerd requests are counted, written and scraped", async () => {
  const gateway = createGateway(
    {
      ...env,
      ORIGIN: "https://origin.example.com",
      PREFIX: crypto.randomUUID(),
      TIMEOUT: "10s",
      CLIENT_IP: "cloudflare",
      RULES: [{ path: "/a", policies: [{ algorithm: "fixed-window", limit: 5, window: "1d" }] }],
      LISTS: { deny: [{ cidr: "192.0.2.1/32" }] },
      ADMIN_TOKEN,
    },
    { admin, metrics },
  );
  const ask = (path: string) =>
    gateway.fetch(
      new Request(`https://gateway.example.com${path}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "cf-connecting-ip": "192.0.2.1" },
      }),
    );
  for (let i = 0; i < 7; i++) expect((await ask("/a")).status).toBe(403);
  for (const path of ["health", "live", "quota"]) await ask(`/_tidegate/${path}`);
  const text = await (await ask("/_tidegate/api/v1/metrics")).text();
  // Requests to the gateway itself are not counted.
  expect(text.match(/^tidegate_requests_total.*/gm)).toEqual([
    'tidegate_requests_total{rule="none",outcome="blocked",reason="list"} 7',
  ]);
  expect(text).toMatch(/# EOF\n$/);
});
