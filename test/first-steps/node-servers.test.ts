import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execPath } from "node:process";

import { afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { codeBlocks } from "../docs/code-blocks.ts";

/** The imports of the samples, and their places in the project. */
const BESIDE = { express: "express5", fastify: "fastify5", ioredis: "ioredis", redis: "redis" };

const blocks = ["docs/node.md", "docs/start.md"].flatMap((document) =>
  codeBlocks(document).filter(({ language }) => language === "js"),
);

let child: ChildProcess | undefined;
beforeAll(() => {
  for (const [name, here] of Object.entries(BESIDE)) {
    const there = join(inject("installed"), "node_modules", name);
    if (!existsSync(there)) symlinkSync(resolve("node_modules", here), there);
  }
});
afterEach(async () => {
  if (!child) return;
  child.kill();
  await once(child, "close");
  child = undefined;
});

/** Starts a server as the page shows it, but on a port and with counts of its own. */
async function start(code: string): Promise<{ url: string; log: () => string }> {
  const port = await freePort();
  const file = join(inject("installed"), `server-${port}.js`);
  const own = code
    .replace("3000", String(port))
    .replace('name: "api"', `name: ${JSON.stringify(crypto.randomUUID())}`)
    .replace('per: "1s"', 'per: "1h"');
  writeFileSync(file, own);
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
  test("have a server for each of three frameworks, and Express once more", () => {
    expect(blocks.map(({ code }) => /^import .*$/m.exec(code)![0])).toEqual([
      'import express from "express";',
      'import Fastify from "fastify";',
      'import { createServer } from "node:http";',
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
