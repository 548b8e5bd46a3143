import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { build } from "esbuild";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { WebSocket } from "ws";

import { runWorker, type RunningWorker } from "../../../bench/support/run-worker.ts";
import { blockOf, requestOf, runOnRedis, useRecipes } from "../recipes.ts";

const TITLE = "Long polls and WebSockets";
const folder = useRecipes("sockets");
const patiently = { timeout: 15_000, interval: 50 };

let redis: Redis;
let customer: string;
let worker: RunningWorker | undefined;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
beforeEach(() => {
  customer = randomBytes(6).toString("hex");
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => void (await redis.quit()));

/** Runs the recipe in workerd, with other times, because a test cannot move the clock there. */
async function run(changes: Readonly<Record<string, string>>): Promise<RunningWorker> {
  let code = blockOf(TITLE, "ts").replace("createLimiter({", 'createLimiter({ timeout: "10s",');
  for (const [from, to] of Object.entries(changes)) {
    expect(code.split(from)).toHaveLength(2);
    code = code.replace(from, to);
  }
  const file = join(folder, "worker.ts");
  writeFileSync(file, code);
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["workerd"],
    external: ["cloudflare:workers", "node:*"],
    alias: { tidegate: resolve("src/index.ts") },
  });
  return runWorker(outputFiles[0]!.text, {
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
  });
}

/** Opens a socket; resolves with it, or with the status of the answer that refused it. */
async function open(): Promise<WebSocket | number> {
  const url = `${worker!.url.replace("http", "ws")}/socket`;
  const socket = new WebSocket(url, { headers: { "x-customer-id": customer } });
  return new Promise((settle, fail) => {
    socket.once("open", () => settle(socket));
    socket.once("unexpected-response", (request, { statusCode }) => {
      request.destroy();
      settle(statusCode!);
    });
    socket.once("error", fail);
  });
}

/** When the customer's slots expire, in microseconds. */
async function expiries(): Promise<number[]> {
  const [key] = await redis.keys(`*{*${customer}*}*`);
  if (!key) return [];
  const scores = await redis.zrange(key, "0", "-1", "WITHSCORES");
  return scores.filter((_, i) => i % 2 === 1).map(Number);
}

test("three sockets at once, on Workers: a slot outlives its ttl while the client speaks, and is free when it closes", async () => {
  worker = await run({ "}, 20_000)": "}, 100)" });
  const sockets = [];
  for (let i = 0; i < 3; i++) sockets.push((await open()) as WebSocket);
  expect(await open()).toBe(429);
  const first = await expiries();
  expect(first).toHaveLength(3);
  sockets[0]!.send("still here");
  expect(String((await once(sockets[0]!, "message"))[0])).toBe("still here");
  await vi.waitFor(async () => expect((await expiries())[0]).toBeGreaterThan(first[2]!), patiently);
  sockets[0]!.close();
  sockets[1]!.terminate();
  await vi.waitFor(async () => expect(await expiries()).toHaveLength(1), patiently);
  expect([typeof (await open()), typeof (await open()), await open()]).toEqual([
    "object",
    "object",
    429,
  ]);
});

test("a socket that is not heard is closed, and one that lost its slot, too", async () => {
  worker = await run({ "}, 20_000)": "}, 100)", "> 60_000": "> 300" });
  const silent = (await open()) as WebSocket;
  expect((await once(silent, "close"))[0]).toBe(1013);
  await vi.waitFor(async () => expect(await expiries()).toEqual([]), patiently);
  const heard = (await open()) as WebSocket;
  const speaking = setInterval(() => heard.send("still here"), 50);
  heard.once("close", () => clearInterval(speaking));
  await redis.del(await redis.keys(`*{*${customer}*}*`));
  expect((await once(heard, "close"))[0]).toBe(1013);
});

test("three polls at once, and another one as soon as one has its event", async () => {
  const { default: app, events } = await runOnRedis<{
    readonly default: { fetch(request: Request): Promise<Response> };
    readonly events: EventTarget;
  }>(TITLE, folder);
  const poll = async () =>
    app.fetch(requestOf("/poll", { headers: { "x-customer-id": customer } }));
  const polls = [poll(), poll(), poll()];
  await vi.waitFor(async () => expect(await expiries()).toHaveLength(3), patiently);
  expect((await poll()).status).toBe(429);
  events.dispatchEvent(new Event("news"));
  const texts = await Promise.all(polls.map(async (each) => (await each).text()));
  expect(texts).toEqual(["news", "news", "news"]);
  expect(await expiries()).toEqual([]);
  const next = poll();
  await vi.waitFor(async () => expect(await expiries()).toHaveLength(1), patiently);
  events.dispatchEvent(new Event("news"));
  expect((await next).status).toBe(200);
  const request = requestOf("/socket", { headers: { "x-customer-id": customer } });
  expect((await app.fetch(request)).status).toBe(426);
});
