import { expect, inject, test } from "vitest";

import { startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { startTailedWorker } from "./tailed-worker.ts";

test("the deployed worker takes a dataset that is bound, and counts as without one", async () => {
  const origin = await startOrigin();
  const policy = { algorithm: "fixed-window", name: "all", limit: 2, window: "30d" };
  const text = (value: string) => ({ type: "text", value });
  const worker = await startTailedWorker({
    ORIGIN: text(origin.url),
    CLIENT_IP: text("cloudflare"),
    TIMEOUT: text("10s"),
    PREFIX: text(crypto.randomUUID()),
    ADMIN_HOST: text("any"),
    // Its Redis keeps nothing, and the gateway would warn of that.
    LIVE_REFRESH: text("off"),
    ADMIN_TOKEN: text(ADMIN_TOKEN),
    UPSTASH_REDIS_REST_URL: text(inject("redisRestUrl")),
    UPSTASH_REDIS_REST_TOKEN: text(inject("redisRestToken")),
    RULES: { type: "json", value: [{ path: "/api/*", policies: [policy] }] },
    ANALYTICS: { type: "analytics-engine-dataset", name: "tidegate" },
  });
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const response = await fetch(worker.url + path, { headers });
    return { status: response.status, text: await response.text() };
  };
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await ask("/api/x")).status);
  expect(statuses).toEqual([200, 200, 429, 429, 429]);
  // A scrape has the counts written.
  const scraped = await ask("/_tidegate/api/v1/metrics");
  expect(scraped.text).toContain(
    'tidegate_requests_total{rule="* /api/*",outcome="allowed",reason="allowed"} 2\n',
  );
  expect(worker.warnings).toEqual([]);
});
