import { Redis } from "@upstash/redis";
import { Redis as FastlyRedis } from "@upstash/redis/fastly";
import { Redis as Admin } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import {
  client,
  createLimiter,
  fixedWindow,
  type RedisClient,
  type StoreError,
} from "../../src/index.ts";
import { dropReplies, none, startFaultProxy } from "../support/fault-proxy.ts";
import { runs } from "../support/runs.ts";
import { type Endpoint, UPSTASH_CLIENTS } from "../support/store/upstash-clients.ts";

const CLIENTS: Record<string, (endpoint: Endpoint) => RedisClient> = {
  ...UPSTASH_CLIENTS,
  "new Redis() with every option": (endpoint) =>
    new Redis({
      ...endpoint,
      retry: { retries: 9 },
      responseEncoding: false,
      automaticDeserialization: false,
      readYourWrites: false,
      keepAlive: false,
    }),
};

let server: RedisServer;
let admin: Admin;
const bridges: Record<string, Bridge> = {};
beforeAll(async () => {
  server = await startRedisServer();
  admin = new Admin(server.url, { disableClientInfo: true });
  const options = { redis: server.url, port: 0, token: "tok=/+en" };
  bridges["stock Redis"] = await startBridge(options);
  bridges["Upstash"] = await startBridge({ ...options, emulate: "upstash" });
});
afterAll(async () => {
  admin.disconnect();
  await Promise.all(Object.values(bridges).map((bridge) => bridge.close()));
  await server.stop();
});

function limiterOn(redis: RedisClient, errors: StoreError[] = []) {
  return createLimiter({
    redis: client(redis),
    policies: [fixedWindow({ name: crypto.randomUUID(), limit: 3, window: "366d" })],
    timeout: "10s",
    denialCache: false,
    onStoreError: (error) => errors.push(error),
  });
}

describe.each(["stock Redis", "Upstash"])("on %s", (dialect) => {
  test.for(Object.keys(CLIENTS))("%s decides, with one request each", async (name) => {
    const warnings = vi.spyOn(console, "warn").mockReturnValue();
    onTestFinished(() => warnings.mockRestore());
    const bridge = bridges[dialect]!;
    const errors: StoreError[] = [];
    const limiter = limiterOn(CLIENTS[name]!(bridge), errors);
    await admin.script("FLUSH");
    const user = crypto.randomUUID();

    // The first has to send the script, and so has the one after the flush.
    expect(await limiter.limit(user)).toMatchObject({ reason: "allowed" });
    const before = bridge.requests;
    expect(await limiter.limit(user)).toMatchObject({ reason: "allowed" });
    expect(bridge.requests).toBe(before + 1);
    await admin.script("FLUSH");
    expect(await limiter.limit(user)).toMatchObject({
      reason: "allowed",
      policies: [{ remaining: 0 }],
    });
    expect(bridge.requests).toBe(before + 3);
    // No batch is made: each decision is a request of its own.
    const decisions = await Promise.all([1, 2, 3].map(() => limiter.limit(user)));
    expect(decisions.map(({ reason }) => reason)).toEqual(Array(3).fill("limited"));
    expect(bridge.requests).toBe(before + 6);
    expect(errors).toEqual([]);
    expect(warnings).not.toHaveBeenCalled();
  });
});

test.for(Object.keys(CLIENTS))(
  "%s: no charge is taken twice where every third reply is lost",
  async (name) => {
    const proxy = await startFaultProxy(bridges["Upstash"]!.url);
    onTestFinished(() => proxy.stop());
    const limiter = limiterOn(CLIENTS[name]!({ url: proxy.url, token: bridges["Upstash"]!.token }));
    await limiter.peek("somebody");
    proxy.fault = dropReplies(1 / 3, 3);
    const users = Array.from({ length: Math.max(12, runs(60)) }, () => crypto.randomUUID());
    const received = proxy.received.length;
    const reasons: string[] = [];
    for (const user of users) reasons.push((await limiter.limit(user)).reason);
    // Sent once each, with any result.
    expect(proxy.received.length - received).toBe(users.length);
    proxy.fault = none;

    const lost = reasons.filter((reason) => reason === "store-unavailable");
    expect(lost).toHaveLength(proxy.dropped);
    expect(lost.length).toBeGreaterThan(users.length / 6);
    for (const user of users) {
      const { policies } = await limiter.peek(user);
      expect(policies[0]!.remaining).toBe(2);
    }
  },
);

/** The values of one option of every request from here to the end of the test. */
function sentWith(option: "cache" | "backend"): Set<unknown> {
  const sent = new Set<unknown>();
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (url: string, { cache, ...init }: RequestInit & { backend?: unknown }) => {
    sent.add({ cache, backend: init.backend }[option]);
    return fetch(url, init);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return sent;
}

test.for([
  ["Node.js/24", "no-cache"],
  ["Cloudflare-Workers", undefined],
])("on %s a client's `cache` is sent as %s", async ([userAgent, value]) => {
  vi.stubGlobal("navigator", { userAgent });
  const sent = sentWith("cache");
  const limiter = limiterOn(new Redis({ ...bridges["Upstash"]!, cache: "no-cache" }));
  expect(await limiter.limit("somebody else")).toMatchObject({ reason: "allowed" });
  expect(sent).toEqual(new Set([value]));
});

test("a client of the Fastly entry keeps its backend, and decides", async () => {
  const warnings = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warnings.mockRestore());
  const sent = sentWith("backend");
  const limiter = limiterOn(new FastlyRedis({ ...bridges["Upstash"]!, backend: "upstash" }));
  await admin.script("FLUSH");
  expect(await limiter.limit("somebody")).toMatchObject({ reason: "allowed" });
  expect(sent).toEqual(new Set(["upstash"]));
});
