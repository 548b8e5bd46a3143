import { expect, inject, test, vi } from "vitest";

import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { generous, startOrigin } from "../support/gateway/gateway.ts";

const TOKEN = "2hT9xQ7mWc4vRk8pLz3nFy6b";

test("requests that the origin does not answer are counted by their outcome", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const origin = await startOrigin((request) => {
    if (request.url === "/dead") request.socket.destroy();
  });
  const gateway = createGateway(
    {
      ORIGIN: origin.url,
      ORIGIN_TIMEOUT: "100ms",
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      PREFIX: `origins-${crypto.randomUUID()}`,
      TIMEOUT: "10s",
      CLIENT_IP: "cloudflare",
      ADMIN_TOKEN: TOKEN,
      RULES: [{ ...generous[0], path: "/silent" }],
    },
    { admin, metrics },
  );
  const headers = { "cf-connecting-ip": "192.0.2.1" };
  for (const [path, status] of [
    ["/silent", 504],
    ["/silent", 504],
    ["/dead", 502],
  ] as const) {
    expect((await gateway.request(path, { headers })).status).toBe(status);
  }
  const authorization = `Bearer ${TOKEN}`;
  const read = async () => {
    const asked = { headers: { ...headers, authorization } };
    return (await gateway.request("/_tidegate/api/v1/metrics", asked)).text();
  };
  const text = await read();
  expect(text).toContain('tidegate_origin_failures_total{reason="timeout"} 2\n');
  expect(text).toContain('tidegate_origin_failures_total{reason="unreachable"} 1\n');
  // Each request is still counted once.
  expect(text).toMatch(/tidegate_requests_total\{rule="\S+ \/silent",[^}]*\} 2\n/);
  await gateway.request("/dead", { headers });
  const later = await read();
  expect(later).toContain('tidegate_origin_failures_total{reason="timeout"} 2\n');
  expect(later).toContain('tidegate_origin_failures_total{reason="unreachable"} 2\n');
  warn.mockRestore();
});
