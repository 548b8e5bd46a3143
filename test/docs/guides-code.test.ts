import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { unstable_readConfig } from "wrangler";

import { type Origin, startOrigin } from "../../scripts/local-stack/origin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { guideBlocks, guideCode } from "./guides.ts";

const blocks = guideBlocks("ts");
const folder = resolve(".tmp/guides");

/** The bindings of a worker's wrangler.toml. */
const bound = vi.hoisted((): Record<string, unknown> => ({}));

// Parts that only Workers have: there, test/workerd and test/first-steps run them.
const tracing = vi.hoisted(() => ({ getActiveSpan: () => undefined }));
vi.mock("cloudflare:workers", () => ({ env: bound, tracing, waitUntil: () => {} }));

let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin();
  Object.assign(bound, {
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: [{ path: "/*", policies: [{ algorithm: "fixed-window", limit: 20, window: "1d" }] }],
  });
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, code } of blocks) {
    writeFileSync(join(folder, file), code.replace("https://origin.example.com", origin.url));
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  await origin.stop();
});

/** The export of a block: a worker, a middleware, or none where it runs by itself. */
type Handler =
  | { fetch(request: Request): Response | Promise<Response> }
  | ((request: Request) => Promise<Response>);

let clients = 0;

/** Of a client of its own: some samples have equal policies, which count together. */
async function statusesOf(
  handler: Handler,
  requests: number,
  [method, path] = ["GET", "/api/rides"],
): Promise<number[]> {
  const statuses: number[] = [];
  const address = `192.0.2.${++clients}`;
  for (let request = 0; request < requests; request++) {
    const asked = new Request(`https://example.com${path}`, {
      method,
      headers: { "cf-connecting-ip": address, "x-real-ip": address, "x-user-id": "guide" },
    });
    const response = await (typeof handler === "function" ? handler(asked) : handler.fetch(asked));
    statuses.push(response.status);
  }
  return statuses;
}

describe("the guides' TypeScript", () => {
  test("has every block that it should", () => {
    expect(blocks).toHaveLength(25);
  });

  test.for(blocks)(
    "of $document on line $line runs, and limits where it handles requests",
    async ({ file, code }) => {
      const log = vi.spyOn(console, "log").mockImplementation(() => {});
      const { default: handler } = (await import(join(folder, file))) as { default?: Handler };
      if (handler === undefined) {
        const expected = code.includes("plans:")
          ? [["address 200, user 6000, everybody 5000"]]
          : [
              ["burst", 2],
              ["daily", 997],
            ];
        // A block that only exports a function logs nothing.
        const runs = code.includes("console.log");
        expect(log.mock.calls.map((logged) => logged.slice(0, 2))).toEqual(runs ? expected : []);
      } else if (code.includes('counts: "failures"')) {
        const statuses = await statusesOf(handler, 20, ["POST", "/login"]);
        expect(statuses).toEqual(statuses.map((_, i) => (i < 5 ? 401 : 429)));
      } else {
        const statuses = await statusesOf(handler, 600);
        expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
        expect(statuses).toContain(429);
      }
      log.mockRestore();
    },
  );
});

test("the guides' wrangler.toml is a gateway's, and its rule limits", async () => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "wrangler.toml");
  writeFileSync(file, guideCode("login-burst"));
  const { vars } = unstable_readConfig({ config: file });
  const gateway = createGateway({
    ...vars,
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
  });
  const statuses: number[] = [];
  for (let login = 0; login < 7; login++) {
    statuses.push((await gateway.request("/api/login", { method: "POST" })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});
