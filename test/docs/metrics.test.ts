import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";

import { bundle } from "../../bench/support/bundle.ts";
import { type Origin, startOrigin } from "../../scripts/local-stack/origin.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { metricsReaderOf } from "../support/metrics/metrics-reader-of.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = ["docs/admin.md", "docs/metrics.md"]
  .flatMap((document) => codeBlocks(document))
  .filter(({ language }) => language === "ts");
const typed = writeBlocks("metrics", blocks);
afterAll(typed.remove);

const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
const PREFIX = crypto.randomUUID();
const ASKED = { headers: { "cf-connecting-ip": "192.0.2.1" } };

let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin();
  for (const [name, value] of Object.entries({
    ORIGIN: origin.url,
    UPSTASH_REDIS_REST_URL: redis.url,
    UPSTASH_REDIS_REST_TOKEN: redis.token,
    PREFIX,
    TIMEOUT: "10s",
    CLIENT_IP: "cloudflare",
    ADMIN_TOKEN,
    RULES: JSON.stringify([
      { path: "/*", policies: [{ algorithm: "fixed-window", limit: 20, window: "1d" }] },
    ]),
  })) {
    vi.stubEnv(name, value);
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await origin.stop();
});

test("docs/admin.md and docs/metrics.md have their blocks", () => {
  expect(blocks).toHaveLength(4);
});

test.for(blocks)("the gateway on line $line answers", async ({ line }) => {
  const exported = await typed.run<{ default?: Gateway; gateway?: Gateway }>(line);
  const gateway = (exported.default ?? exported.gateway)!;
  expect((await gateway.request("/", ASKED)).status).toBe(200);
});

test("a server that is stopped as docs/metrics.md does it has written its counts before it ends", async () => {
  const { line } = blocks.find(({ code }) => code.includes("stopCleanly"))!;
  const { gateway, stopCleanly } = await typed.run<{
    gateway: Gateway;
    stopCleanly(server: { close(ended: () => void): void }): void;
  }>(line);
  await gateway.flush();
  const counted = async () => {
    const { requests } = await metricsReaderOf(redis, PREFIX).total();
    return requests.reduce((sum, { count }) => sum + count, 0);
  };
  const before = await counted();
  await gateway.request("/", ASKED);
  const exited = new Promise<void>((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((() => resolve()) as () => never);
  });
  const once = vi.spyOn(process, "once").mockReturnThis();
  stopCleanly({ close: (ended) => ended() });
  const [signal, stop] = once.mock.lastCall!;
  expect(signal).toBe("SIGTERM");
  stop();
  await exited;
  expect(await counted()).toBe(before + 1);
  vi.restoreAllMocks();
});

test("the bytes that the admin API and metrics add to a worker are those in the documents", async () => {
  const weightOf = async (parts: string) => {
    const text = await bundle(`
      import { admin } from "./src/admin/admin.ts";
      import { createGateway } from "./src/gateway/gateway.ts";
      import { metrics } from "./src/metrics/metrics.ts";
      export default createGateway({}, { ${parts} });`);
    return gzipSync(text, { level: 9 }).length / 1000;
  };
  const saidIn = (document: string, words: RegExp) =>
    Number(words.exec(readFileSync(document, "utf8"))![1]);
  const without = await weightOf("");
  for (const [parts, said] of [
    ["admin", saidIn("docs/admin.md", /at most (\d+) kB to the compressed bundle/)],
    ["metrics", saidIn("docs/metrics.md", /the bundle, compressed +\| at most (\d+) kB to count/)],
  ] as const) {
    const added = (await weightOf(parts)) - without;
    expect(added, parts).toBeLessThan(said);
    expect(added, parts).toBeGreaterThan(0.8 * said);
  }
});
