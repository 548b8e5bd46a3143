import { expect, test } from "vitest";

import { startOrigin } from "../support/gateway/gateway.ts";
import { startTailedWorker } from "./tailed-worker.ts";

test("the deployed worker says on Cloudflare's own spans how each request was decided", async () => {
  const origin = await startOrigin();
  const policy = { algorithm: "fixed-window", name: "all", limit: 2, window: "30d" };
  const worker = await startTailedWorker({
    STORE: { type: "text", value: "memory" },
    ORIGIN: { type: "text", value: origin.url },
    CLIENT_IP: { type: "text", value: "cloudflare" },
    RULES: { type: "json", value: [{ path: "/api/*", policies: [policy] }] },
  });
  const statuses: number[] = [];
  for (const path of ["/api/x", "/api/x", "/api/x", "/free"]) {
    const response = await fetch(worker.url + path);
    await response.text();
    statuses.push(response.status);
    // Requests that overlap would mix their answers.
    await expect.poll(() => worker.requests, { timeout: 10_000 }).toHaveLength(statuses.length);
  }
  expect(statuses).toEqual([200, 200, 429, 200]);
  const said = worker.requests.map((attributes) =>
    Object.fromEntries(
      Object.entries(attributes).filter(([name]) => name.startsWith("rate_limit")),
    ),
  );
  const allowed = { "rate_limit.decision": "allowed", "rate_limit.fail_open": false };
  expect(said).toEqual([
    allowed,
    allowed,
    {
      "rate_limit.decision": "denied",
      "rate_limit.fail_open": false,
      "rate_limit.rejected_by": "all",
    },
    {},
  ]);
});
