import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, test } from "vitest";

import { codeBlocks } from "../support/docs/code-blocks.ts";
import { startProject, statusesOf } from "../support/first-steps/worker.ts";

const [handler, handlerToml, gateway, gatewayToml] = codeBlocks("docs/durable-objects.md").map(
  ({ code }) => code,
);

describe("somebody without a Redis", () => {
  test("limits in a worker by the page's code", async () => {
    const worker = await startProject({
      files: { "src/index.ts": handler!, "wrangler.toml": handlerToml! },
    });
    const statuses = await statusesOf(worker, 80, "/");
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
    expect(statuses).toContain(429);
  });

  test("runs the gateway by the page's configuration", async () => {
    const origin = createServer((_request, response) => response.end("origin"));
    await once(origin.listen(0, "127.0.0.1"), "listening");
    try {
      const worker = await startProject({
        files: { "src/index.ts": gateway!, "wrangler.toml": gatewayToml! },
        variables: { ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}` },
      });
      const health = await worker.fetch("/_tidegate/health");
      expect([health.status, await health.json()]).toEqual([
        200,
        expect.objectContaining({ status: "ok", store: "durable-object", breaker: "closed" }),
      ]);
      const statuses = await statusesOf(worker, 80, "/api/rides");
      expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
      expect(statuses).toContain(429);
      expect(await statusesOf(worker, 2, "/elsewhere")).toEqual([200, 200]);
    } finally {
      origin.closeAllConnections();
      origin.close();
    }
  });
});
