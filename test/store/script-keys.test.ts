import { Redis } from "ioredis";
import { expect, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startOrigin } from "../../scripts/local-stack/origin.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { ADMIN_TOKEN, DEPLOYED } from "../support/live/live-gateway.ts";

const CALLS: readonly [method: string, path: string, body?: object][] = [
  ["GET", "/api/rides"],
  ["GET", "/_tidegate/health"],
  ["GET", "/_tidegate/api/v1/rules"],
  ["PUT", "/_tidegate/api/v1/rules", { rules: DEPLOYED }],
  ["PUT", "/_tidegate/api/v1/lists/deny", { cidr: "203.0.113.0/24", for: "1h" }],
  ["POST", "/_tidegate/api/v1/explain", { path: "/api/rides", headers: { "x-user-id": "ada" } }],
  [
    "POST",
    "/_tidegate/api/v1/identities/reset",
    { path: "/api/rides", headers: { "x-user-id": "ada" } },
  ],
  ["GET", "/_tidegate/api/v1/metrics"],
  ["GET", "/api/rides"],
];

// ElastiCache Serverless refuses those without.
test("every script of a gateway names a key, as Redis sees it", async () => {
  const server = await startRedisServer();
  const origin = await startOrigin();
  const bridge = await startBridge({ redis: server.url, port: 0, token: "keys" });
  const redis = new Redis(server.url, { disableClientInfo: true });
  const monitor = await redis.monitor();
  try {
    const scripts: string[] = [];
    monitor.on("monitor", (_time, [command = "", , keys = ""]: string[]) => {
      if (/^eval/i.test(command)) scripts.push(`${command.toUpperCase()} ${keys}`);
    });
    const gateway = createGateway(
      {
        ORIGIN: origin.url,
        UPSTASH_REDIS_REST_URL: bridge.url,
        UPSTASH_REDIS_REST_TOKEN: bridge.token,
        CLIENT_IP: "cloudflare",
        RULES: DEPLOYED,
        ADMIN_TOKEN,
      },
      { admin, metrics },
    );
    for (const [method, path, body] of CALLS) {
      const headers = {
        "x-user-id": "ada",
        "cf-connecting-ip": "192.0.2.1",
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "if-match": '"0"',
        ...(body && { "content-type": "application/json" }),
      };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await gateway.request(path, init);
      const said = await response.text();
      expect({ path, ok: response.ok, said }).toEqual({ path, ok: true, said });
    }
    await gateway.flush();
    await redis.echo("end");
    await expect.poll(() => scripts.length).toBeGreaterThan(CALLS.length);
    expect(scripts.filter((script) => script.endsWith(" 0"))).toEqual([]);
  } finally {
    monitor.disconnect();
    redis.disconnect();
    await bridge.close();
    await Promise.all([server.stop(), origin.stop()]);
  }
});
