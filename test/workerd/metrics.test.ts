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
      RULES: [
        {
          path: "/a",
          policies: [{ algorithm: "fixed-window", name: "a", limit: 5, window: "1d" }],
        },
      ],
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
  const text = await (await ask("/_tidegate/api/v1/metrics")).text();
  expect(text).toContain(
    'tidegate_requests_total{rule="none",outcome="blocked",reason="list"} 7\n',
  );
  expect(text).toMatch(/# EOF\n$/);
});
