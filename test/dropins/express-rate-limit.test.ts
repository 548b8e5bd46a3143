import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import type { Application } from "express";
import { MemoryStore, rateLimit, type Store } from "express-rate-limit";
import { slowDown } from "express-slow-down";
import express from "express5";
import { Hono } from "hono";
import { MemoryStore as HonoMemoryStore, rateLimiter } from "hono-rate-limiter";
import { describe, expect, onTestFinished, test } from "vitest";

import { TidegateStore, type TidegateStoreOptions } from "../../src/express-rate-limit.ts";
import { TidegateStore as FromExpress } from "../../src/express.ts";
import { StoreError } from "../../src/index.ts";
import {
  connect,
  countedRedis,
  noRedis,
  ownPrefix,
  quietly,
  redisByDate,
  standStill,
} from "./clocked-redis.ts";

interface Options {
  readonly windowMs: number;
  readonly limit: number;
  readonly skipFailedRequests?: boolean;
  readonly skipSuccessfulRequests?: boolean;
  readonly passOnStoreError?: boolean;
}

/** Sends a request to a path of an app, whose handler answers with the status in it, and resolves with the response. */
type Send = (path?: string) => Promise<Response>;

async function serve(app: RequestListener): Promise<Send> {
  const server = createServer(app);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (path = "/200") => fetch(`http://127.0.0.1:${port}${path}`);
}

const byExpress = (options: Options, store: unknown): Promise<Send> => {
  const app = express() as unknown as Application;
  app.use(
    rateLimit({ ...options, store: store as Store, keyGenerator: () => "client", validate: false }),
  );
  app.get("/:status", (request, response) => {
    response.status(Number(request.params["status"])).send("handled");
  });
  return serve(app as RequestListener);
};

const byHono = async (options: Options, store: unknown): Promise<Send> => {
  const app = new Hono();
  const keyGenerator = () => "client";
  app.use(rateLimiter({ ...options, store: store as HonoMemoryStore, keyGenerator }));
  app.get("/:status", (c) => c.text("handled", Number(c.req.param("status")) as 200));
  return async (path = "/200") => app.request(path);
};

const ours = (options: TidegateStoreOptions = {}) =>
  new TidegateStore({ redis: redisByDate(), prefix: ownPrefix(), timeout: "20s", ...options });

/** The behaviours that the peers' own store and ours share, under their own middleware. */
const EACH = [
  ["express-rate-limit on its MemoryStore", byExpress, () => new MemoryStore()],
  ["express-rate-limit on TidegateStore", byExpress, ours],
  ["hono-rate-limiter on its MemoryStore", byHono, () => new HonoMemoryStore()],
  ["hono-rate-limiter on TidegateStore", byHono, ours],
] as const;

const statusesOf = async (send: Send, requests: number, path?: string) => {
  const statuses = [];
  for (let i = 0; i < requests; i++) statuses.push((await send(path)).status);
  return statuses;
};

describe.for(EACH)("%s", ([, create, storeOf]) => {
  test("lets the limit pass with the peer's fields, then answers 429 with the time to wait", async () => {
    const clock = standStill();
    const send = await create({ windowMs: 60_000, limit: 2 }, storeOf());
    await send();
    clock.pass(20_000);
    const second = await send();
    const left = (response: Response) =>
      response.headers.get("RateLimit-Remaining") ?? response.headers.get("X-RateLimit-Remaining");
    expect([second.status, left(second)]).toEqual([200, "0"]);
    const denied = await send();
    expect([denied.status, denied.headers.get("Retry-After")]).toEqual([429, "40"]);
  });

  test("has a window that begins with the first hit and is over at its end, denied hits or not", async () => {
    const clock = standStill();
    const send = await create({ windowMs: 50, limit: 1 }, storeOf());
    clock.pass(30);
    const statuses = [(await send()).status];
    for (const step of [1, 48, 1, 49, 1]) {
      clock.pass(step);
      statuses.push((await send()).status);
    }
    expect(statuses).toEqual([200, 429, 429, 200, 429, 200]);
  });

  test("takes back requests that are not to be counted", async () => {
    standStill();
    for (const [skip, skipped, counted] of [
      ["skipFailedRequests", 401, 200],
      ["skipSuccessfulRequests", 200, 401],
    ] as const) {
      const store = storeOf();
      const send = await create({ windowMs: 60_000, limit: 1, [skip]: true }, store);
      for (let i = 0; i < 3; i++) {
        expect((await send(`/${skipped}`)).status).toBe(skipped);
        // It is taken back when the response has been sent.
        await expect.poll(async () => (await store.get("client"))?.totalHits ?? 0).toBe(0);
      }
      expect(await statusesOf(send, 2, `/${counted}`)).toEqual([counted, 429]);
    }
  });
});

describe.for([
  ["MemoryStore", () => new MemoryStore()],
  ["TidegateStore", ours],
] as const)("the store interface of express-rate-limit, of %s", ([, storeOf]) => {
  test("slows down by its count", async () => {
    standStill();
    const used: number[] = [];
    const app = express() as unknown as Application;
    app.use(
      slowDown({
        windowMs: 60_000,
        delayAfter: 1,
        delayMs: (hits) => (used.push(hits), 0),
        store: storeOf(),
        validate: false,
      }),
    );
    app.get("/200", (_request, response) => void response.send("slow"));
    const send = await serve(app as RequestListener);
    expect(await statusesOf(send, 4)).toEqual([200, 200, 200, 200]);
    expect(used).toEqual([2, 3, 4]);
  });
});

test("tidegate/express has the store, too", () => {
  expect(FromExpress).toBe(TidegateStore);
});

describe("TidegateStore", () => {
  function counting(options: TidegateStoreOptions, windowMs = 60_000): TidegateStore {
    const store = new TidegateStore(options);
    store.init({ windowMs });
    return store;
  }

  test("sends one command for a hit, for a look, and to take back; keys expire with their window", async () => {
    const { redis, costOf } = countedRedis();
    const prefix = ownPrefix();
    const store = counting({ redis, prefix, timeout: "10s" });
    // The first of each may have to load its script.
    await store.increment("ada");
    await store.get("ada");
    await store.decrement("ada");
    const costs = [];
    for (const call of [
      () => store.increment("ada"),
      () => store.increment("ada"),
      () => store.get("ada"),
      () => store.decrement("ada"),
      // Also of a hit that it does not remember.
      () => counting({ redis, prefix, timeout: "10s" }).decrement("ada"),
    ]) {
      costs.push(await costOf(call));
    }
    expect(costs).toEqual([1, 1, 1, 1, 1]);
    expect((await store.increment("ada")).totalHits).toBe(1);
    const keys = connect();
    const [key, ...others] = await keys.keys(`${prefix}:*`);
    expect(others).toEqual([]);
    const left = await keys.pttl(key!);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_001);
  });

  test("counts here without a Redis, or rejects for passOnStoreError to decide", async () => {
    quietly();
    const options = { windowMs: 60_000, limit: 2 };
    const local = await byExpress(options, new TidegateStore({ redis: noRedis }));
    expect(await statusesOf(local, 3)).toEqual([200, 200, 429]);

    const failing = counting({ redis: noRedis, onFailure: "error" });
    await expect(failing.increment("ada")).rejects.toThrow(StoreError);
    await expect(failing.get("ada")).rejects.toThrow(StoreError);
    const store = new TidegateStore({ redis: noRedis, onFailure: "error" });
    const passing = await byExpress({ ...options, passOnStoreError: true }, store);
    expect(await statusesOf(passing, 3)).toEqual([200, 200, 200]);
  });

  test("has a fault for each option that is wrong, and for a window that is none", () => {
    const faulty = { redis: noRedis, prefix: "{a}", onFailure: "open", windowMs: 1 };
    expect(() => new TidegateStore(faulty as never)).toThrow(/prefix[^]*onFailure|windowMs[^]*/);
    const store = new TidegateStore({ redis: noRedis });
    expect(() => store.init({ windowMs: 0 })).toThrow("window");
    expect(() => store.init({ windowMs: 3_670 * 86_400_000 })).not.toThrow();
  });

  test("says that init() is missing", async () => {
    await expect(new TidegateStore({ redis: noRedis }).increment("ada")).rejects.toThrow("init()");
  });
});
