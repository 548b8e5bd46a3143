import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";

const ADMIN_TOKEN = "mV3kT9xQ2bLr7WcYp0NsHd5Zf8Gj1Ua6Re4Ki0Xo2c=";

function openGateway(variables: object = {}) {
  return createGateway(
    {
      ...env,
      ORIGIN: "https://origin.example.com",
      PREFIX: crypto.randomUUID(),
      TIMEOUT: "10s",
      CLIENT_IP: "cloudflare",
      RULES: [{ path: "/a", policies: [{ algorithm: "fixed-window", limit: 5, window: "1d" }] }],
      ADMIN_TOKEN,
      ...variables,
    },
    { admin, metrics },
  );
}

test("in workerd rules are published, read and enforced, and a body that is too long is not read", async () => {
  const gateway = openGateway();
  const send = (method: string, path: string, body?: string, headers = {}) =>
    gateway.request(`/_tidegate/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "cf-connecting-ip": "192.0.2.1",
        "content-type": "application/json",
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  const { document } = (await (await send("GET", "/rules")).json()) as {
    document: { rules: { policies: { limit: number }[] }[] };
  };
  document.rules[0]!.policies[0]!.limit = 0;
  expect(
    (await send("PUT", "/rules", JSON.stringify(document), { "If-Match": '"0"' })).status,
  ).toBe(422);
  document.rules[0]!.policies[0]!.limit = 7;
  const text = `${JSON.stringify(document)}${" ".repeat(800_000)}`;
  const published = await send("PUT", "/rules", text, { "If-Match": '"0"' });
  expect([published.status, await published.json()]).toMatchObject([200, { version: 1 }]);
  const health = (await (await send("GET", "/health")).json()) as { live: { version: number } };
  expect(health.live.version).toBe(1);
  expect((await send("PUT", "/rules", `${text}${" ".repeat(200_000)}`)).status).toBe(428);
  const long = await send("PUT", "/rules", `${text}${" ".repeat(200_000)}`, { "If-Match": '"1"' });
  expect(long.status).toBe(413);
  expect((await send("PUT", "/lists/deny", '{"asn":64496,"for":"1h"}')).status).toBe(200);
  for (const path of ["/explain", "/identities/reset"]) {
    const unknown = await send("POST", path, '{"method":"FOO","path":"/a"}');
    expect([unknown.status, await unknown.json()]).toMatchObject([
      422,
      { errors: [{ path: "method" }] },
    ]);
  }
  const wrong = await send("GET", "/rules", undefined, { authorization: "Bearer wrong" });
  expect(wrong.status).toBe(401);
});

test("in workerd requests are counted, written and scraped", async () => {
  const gateway = openGateway({ LISTS: { deny: [{ cidr: "192.0.2.1/32" }] } });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "cf-connecting-ip": "192.0.2.1" };
  const ask = async (path: string) => gateway.request(path, { headers });
  for (let i = 0; i < 7; i++) expect((await ask("/a")).status).toBe(403);
  for (const path of ["health", "live", "quota"]) await ask(`/_tidegate/${path}`);
  const text = await (await ask("/_tidegate/api/v1/metrics")).text();
  // Requests to the gateway itself are not counted.
  expect(text.match(/^tidegate_requests_total.*/gm)).toEqual([
    'tidegate_requests_total{rule="none",outcome="blocked",reason="list"} 7',
  ]);
  expect(text).toMatch(/# EOF\n$/);
});
