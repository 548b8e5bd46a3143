import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";

import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";

/** The imports of the samples, and their places in the project. */
const BESIDE = {
  "@hono/node-server": "@hono/node-server",
  express: "express5",
  fastify: "fastify5",
  hono: "hono",
  ioredis: "ioredis",
  redis: "redis",
};

const all = ["docs/node.md", "docs/start.md"].flatMap((document) =>
  codeBlocks(document).filter(({ language }) => language === "js"),
);
const clusters = all.filter(({ code }) => code.includes("REDIS_NODES"));
const blocks = all.filter((block) => !clusters.includes(block));

let child: ChildProcess | undefined;
beforeAll(() => {
  for (const [name, here] of Object.entries(BESIDE)) {
    const there = join(inject("installed"), "node_modules", name);
    mkdirSync(dirname(there), { recursive: true });
    if (!existsSync(there)) symlinkSync(resolve("node_modules", here), there);
  }
});
afterEach(async () => {
  if (!child) return;
  child.kill();
  await once(child, "close");
  child = undefined;
});

/** Writes a block as the page shows it, but with counts of its own that do not refill during a test. */
function writeBlock(name: string, code: string): string {
  const file = join(inject("installed"), name);
  const own = code
    .replace('name: "api"', `name: ${JSON.stringify(crypto.randomUUID())}`)
    .replace('per: "1s"', 'per: "1h"');
  writeFileSync(file, own);
  return file;
}

/** Starts a server as the page shows it, but on a port of its own. */
async function start(code: string): Promise<{ url: string; log: () => string }> {
  const port = await freePort();
  const file = writeBlock(`server-${port}.js`, code.replace("3000", String(port)));
  child = spawn(execPath, [file], {
    env: { ...process.env, REDIS_URL: inject("redisUrl") },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let log = "";
  child.stderr!.on("data", (chunk) => (log += chunk));
  const url = `http://127.0.0.1:${port}/`;
  await vi.waitFor(() => fetch(url, { method: "OPTIONS" }), { timeout: 15_000 });
  return { url, log: () => log };
}

describe("docs/node.md and docs/start.md", () => {
  test("have a server for each of four frameworks, and Express once more", () => {
    expect(blocks.map(({ code }) => /^import .*$/m.exec(code)![0])).toEqual([
      'import express from "express";',
      'import Fastify from "fastify";',
      'import { createServer } from "node:http";',
      'import { serve } from "@hono/node-server";',
      'import express from "express";',
    ]);
  });

  test.for(blocks)(
    "on line $line: twenty requests pass, and the next has a 429 with the time to wait",
    async ({ code }) => {
      const { url, log } = await start(code);
      const statuses: number[] = [];
      let last: Response;
      // The first one asked whether the server is there.
      for (let request = 1; request < 22; request++) {
        last = await fetch(url);
        statuses.push(last.status);
        if (statuses.length === 1) {
          expect(await last.text()).toBe("hello");
          expect(last.headers.get("X-RateLimit-Remaining")).toBe("18");
        }
      }
      expect(statuses).toEqual([...Array(19).fill(200), 429, 429]);
      expect(last!.headers.get("content-type")).toBe("application/problem+json");
      expect(Number(last!.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await last!.json()).toMatchObject({ status: 429, title: "Quota Exceeded" });
      expect(log()).toBe("");
    },
  );
});

describe("the limiters of docs/node.md on a Redis Cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 3 });
  });
  afterAll(() => cluster.stop());

  test("are one for each library", () => {
    expect(clusters).toHaveLength(2);
  });

  test.for(clusters)("on line $line: twenty decisions of a client pass", async ({ line, code }) => {
    const main = `
      const reasons = [];
      for (let i = 0; i < 21; i++) reasons.push((await limiter.limit("ada")).reason);
      // Other clients have their keys on other masters.
      for (const client of "bcdefghi") reasons.push((await limiter.limit(client)).reason);
      console.log(JSON.stringify(reasons));
      process.exit();`;
    const file = writeBlock(`cluster-${line}.js`, code + main);
    const env = { ...process.env, REDIS_NODES: cluster.urls.slice(0, 2).join(",") };
    const { stdout, stderr } = await promisify(execFile)(execPath, [file], { env });
    expect(stderr).toBe("");
    const allowed = (count: number) => Array<string>(count).fill("allowed");
    expect(JSON.parse(stdout)).toEqual([...allowed(20), "cached-denial", ...allowed(8)]);
  });
});
