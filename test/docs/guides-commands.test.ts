import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";

import { type LocalStack, startLocalStack } from "../../scripts/local-stack/local-stack.ts";
import { freePort } from "../../scripts/support/free-port.ts";
import { guideBlocks, guideCode } from "./guides.ts";

const commands = guideBlocks("sh").flatMap(({ document, code }) =>
  code
    .trim()
    .split("\n")
    .map((line) => ({ document, line })),
);

let stack: LocalStack;

/** Runs a command of the guides as it stands there, but for the ports. */
async function run(command: string): Promise<string> {
  const moved = command
    .replaceAll("http://127.0.0.1:8787", stack.workers[0]!)
    .replaceAll("http://127.0.0.1:8788", stack.origin);
  return (await promisify(execFile)("bash", ["-c", moved])).stdout;
}

const command = (pattern: RegExp) => commands.find(({ line }) => pattern.test(line))!.line;

test("these are the guides' commands", () => {
  expect(commands.map(({ line }) => line.split(" ").slice(0, 4).join(" "))).toEqual([
    "npm install tidegate &&",
    "curl -s -o /dev/null",
    "npm ci && npm",
    "curl -s -o /dev/null",
    "npm ci && npm",
    "npm install tidegate",
    "npx wrangler secret put",
    "npx wrangler secret put",
    "npx wrangler deploy",
    "npm ci && npm",
    "curl -si -X POST",
    "curl -s http://127.0.0.1:8788/__counts",
    "curl -s http://127.0.0.1:8787/_tidegate/health",
    "npm run build",
    "npx @tidegate/redis-rest --redis redis://127.0.0.1:6379",
    'REDIS_REST_TOKEN="$NEW_TOKEN" REDIS_REST_TOKEN_PREVIOUS="$OLD_TOKEN" npx @tidegate/redis-rest',
    "npx @tidegate/redis-rest --allow KEYS",
    // Of the drill that test/docs/lost-drill.test.ts follows.
    "npx wrangler secret put",
    "npx wrangler secret put",
    "npx tidegate rules pull",
    "npx tidegate lists",
    "npx tidegate audit --since",
    'redis-cli -u "$CONTROL" FLUSHALL',
    "npx tidegate rules pull",
    "npx tidegate lists",
    "npx tidegate audit",
    "diff before.json after.json",
    "npx tidegate rules push",
    "npx tidegate rules history",
    "npm install tidegate hono",
    'echo "STORE=memory" > .dev.vars',
    'echo "ADMIN_TOKEN=$(openssl rand -base64',
    "npx wrangler dev",
    "curl -s -o /dev/null",
    "npx wrangler secret put",
    "npx wrangler secret put",
    "npx wrangler secret put",
    "npx wrangler deploy",
    "curl -s -o /dev/null",
    "curl -s -o /dev/null",
  ]);
});

test("the two set-up commands are CI's, and those that test/stack starts", () => {
  const readme = commands.filter(({ document }) => document === "README.md");
  expect(readme.map(({ line }) => line).filter((line) => line.startsWith("npm ci"))).toEqual([
    "npm ci && npm start",
    "npm ci && npm test",
  ]);
  expect(readFileSync(".ci/run", "utf8")).toMatch(
    /\nnpm ci\nnpm test\nnpm run test:programs\nnpm run test:stress\nnpm run test:browser\nnpm run test:package\n/,
  );
});

describe("on a stack of its own", () => {
  beforeEach(async () => {
    stack = await startLocalStack();
  });
  afterEach(() => stack.stop());

  test("60 requests with one key: 20 pass, and the units that refill meanwhile; the origin has counted them", async () => {
    const start = performance.now();
    const statuses = (await run(command(/request\?\[1-60\]/))).trim().split(" ");
    const refilled = Math.ceil((performance.now() - start) / 100);
    expect(statuses).toHaveLength(60);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill("200"));
    const passed = statuses.filter((status) => status === "200").length;
    expect(passed).toBeLessThanOrEqual(20 + refilled);
    expect(statuses.filter((status) => status === "429")).toHaveLength(60 - passed);
    expect(JSON.parse(await run(command(/__counts/)))).toEqual({
      "POST /api/rides/request": passed,
    });
  });

  test("a login tells of both policies", async () => {
    const answer = await run(command(/api\/login/));
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(answer).toMatch(
      /^RateLimit-Policy: "login-burst";q=5;w=10, "login-hourly";q=50;w=3600\r$/im,
    );
    expect(answer).toMatch(/^RateLimit: "login-burst";r=4;t=10, "login-hourly";r=49;t=\d+\r$/im);
  });

  test("health says that decisions come from Redis", async () => {
    expect(JSON.parse(await run(command(/health/)))).toMatchObject({
      status: "ok",
      store: "redis",
      breaker: "closed",
    });
  });
});

test("the build leaves the library and the worker", async () => {
  await run(command(/npm run build/));
  for (const file of [
    "lib/index.js",
    "lib/index.d.ts",
    "lib/hono.js",
    "lib/vercel.js",
    "lib/gateway.js",
    "lib/worker.js",
    "worker/worker.js",
  ]) {
    expect(existsSync(`dist/${file}`), file).toBe(true);
  }
}, 300_000);

/** Runs a line that starts a bridge, but for its Redis and its port, and ends it after its use. */
async function withBridge(
  line: string,
  environment: Record<string, string>,
  use: (bridge: { url: string; out: () => string }) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const moved = line
    .replace(/ --redis \S+| --port \S+/g, "")
    .replace(
      "npx @tidegate/redis-rest",
      `npm run redis-rest -- --redis ${inject("redisUrl")} --port ${port}`,
    );
  const bridge = spawn("bash", ["-c", moved], {
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, to be ended as a terminal's Ctrl-C would: npm, its shell and the bridge.
    detached: true,
    env: { ...process.env, REDIS_REST_TOKEN: "", ...environment },
  });
  const url = `http://127.0.0.1:${port}`;
  let out = "";
  bridge.stdout.on("data", (chunk) => (out += chunk));
  try {
    await expect.poll(() => out).toContain(`redis-rest: ${url}\n`);
    await use({ url, out: () => out });
  } finally {
    process.kill(-bridge.pid!, "SIGINT");
    await once(bridge, "close");
  }
}

const askBridge = (url: string, token: string, command: readonly string[]) =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(command),
  });

test.for([
  [/redis-rest --redis/, ["PING"], { result: "PONG" }],
  [/redis-rest --allow/, ["KEYS", "no-such-key"], { result: [] }],
] as const)(
  "the bridge runs alone in a clone, too, by the same options: %s",
  async ([pattern, asked, answered]) => {
    await withBridge(command(pattern), {}, async ({ url, out }) => {
      const token = /^redis-rest: token (\S+)$/m;
      await expect.poll(out).toMatch(token);
      const answer = await askBridge(url, token.exec(out())![1]!, asked);
      expect(await answer.json()).toEqual(answered);
    });
  },
);

test("the bridge prints what its page shows, and its page shows where both values go", async () => {
  const printed = guideCode("redis-rest: token");
  const variables = guideCode("UPSTASH_REDIS_REST_TOKEN=");
  const [, url, token] = /^redis-rest: (\S+)\nredis-rest: token (\S+)\n$/.exec(printed)!;
  expect(variables).toBe(`UPSTASH_REDIS_REST_URL=${url}\nUPSTASH_REDIS_REST_TOKEN=${token}\n`);
  await withBridge(command(/redis-rest --redis/), {}, async (bridge) => {
    const shown = printed.replace(url!, bridge.url).replace(token!, "");
    await expect.poll(() => bridge.out().replace(/(?<=token )\S+/, "")).toContain(shown);
  });
});

test("the bridge takes both tokens while one replaces the other, and then the new one alone", async () => {
  const [before, after] = ["the old token", "the new token"];
  const line = command(/REDIS_REST_TOKEN_PREVIOUS/);
  const statuses = (url: string) =>
    Promise.all([before, after].map(async (each) => (await askBridge(url, each, ["PING"])).status));
  await withBridge(line, { OLD_TOKEN: before, NEW_TOKEN: after }, async ({ url }) => {
    expect(await statuses(url)).toEqual([200, 200]);
  });
  const last = line.replace(/REDIS_REST_TOKEN_PREVIOUS=\S+ /, "");
  await withBridge(last, { OLD_TOKEN: before, NEW_TOKEN: after }, async ({ url }) => {
    expect(await statuses(url)).toEqual([401, 200]);
  });
});
