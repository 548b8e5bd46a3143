import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, inject, onTestFinished, test, vi } from "vitest";

import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { generous, startOrigin } from "../support/gateway/gateway.ts";

const TOKEN = "2hT9xQ7mWc4vRk8pLz3nFy6b";

test("reads of a replica that fail are counted by their errors, and denials that Redis refutes", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const origin = await startOrigin();
  const answers = [
    [401, { error: "WRONGPASS no" }],
    [401, { error: "WRONGPASS no" }],
    [200, { result: [0, 0, 30e6, 60e6] }],
  ] as const;
  let asked = 0;
  const near = createServer((_request, response) => {
    const [status, body] = answers[asked++]!;
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => near.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    warn.mockRestore();
    near.close();
  });
  const gateway = createGateway(
    {
      ORIGIN: origin.url,
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      REPLICA_URL: `http://127.0.0.1:${(near.address() as AddressInfo).port}`,
      REPLICA_TOKEN: "nearby",
      REPLICA_TIMEOUT: "1s",
      PREFIX: `replica-${crypto.randomUUID()}`,
      TIMEOUT: "10s",
      CLIENT_IP: "cloudflare",
      ADMIN_TOKEN: TOKEN,
      RULES: [{ ...generous[0], path: "/limited" }],
    },
    { admin, metrics },
  );
  const ask = (path: string, client: number) =>
    gateway.request(path, {
      headers: { "cf-connecting-ip": `192.0.2.${client}`, authorization: `Bearer ${TOKEN}` },
    });
  // The first one tells the clock of Redis, the last one comes while the replica is not believed.
  for (let client = 1; client <= 5; client++) {
    expect((await ask("/limited", client)).status).toBe(200);
  }
  expect(asked).toBe(3);
  const text = await (await ask("/_tidegate/api/v1/metrics", 1)).text();
  expect(text.match(/^tidegate_replica_errors_total.*/gm)).toEqual([
    'tidegate_replica_errors_total{code="ERR_STORE_UNAUTHORIZED"} 2',
    'tidegate_replica_errors_total{code="REFUTED"} 1',
  ]);
});
