import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";

import { type Log, startWorker, type Worker } from "../../scripts/local-stack/worker.ts";
import { type FaultProxy, none, startFaultProxy } from "../support/fault-proxy.ts";

/*
 * In workerd every request has a context of its own, cannot use the I/O of another, and ends when its client goes away. A request
 * that waits for another must go on all the same.
 */

let origin: Server;
let proxy: FaultProxy;
let worker: Worker;
let user: string;
let logs: Log[];

beforeAll(async () => {
  origin = createServer((_, response) => void response.end());
  await once(origin.listen(0, "127.0.0.1"), "listening");
  proxy = await startFaultProxy(inject("redisRestUrl"));
  worker = await startWorker({
    variables: {
      ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}`,
      UPSTASH_REDIS_REST_URL: proxy.url,
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      TIMEOUT: "10s",
      RULES: [
        {
          path: "/*",
          partition: ["header:x-user"],
          policies: [{ algorithm: "token-bucket", name: "one", limit: 1, refill: 1, per: "1s" }],
        },
      ],
    },
    onLog: (log) => void logs.push(log),
  });
});
beforeEach(() => {
  logs = [];
  user = crypto.randomUUID();
});
afterAll(async () => {
  await worker.stop();
  await proxy.stop();
  origin.close();
});

async function ask(): Promise<string> {
  const response = await fetch(worker.url, { headers: { "x-user": user } });
  await response.arrayBuffer();
  return response.headers.get("x-ratelimit-reason") ?? String(response.status);
}

/**
 * Takes the one token, and sends further requests until the limiter denies by its cache. Returns the number of calls of Redis
 * until then.
 */
async function runOut(): Promise<number> {
  expect(await ask()).toBe("200");
  expect(await ask()).toBe("cached-denial");
  await sleep(1_050);
  return proxy.received.length;
}

/** The fault of the next request that reaches Redis; all others go through. */
function onNext(fault: FaultProxy["fault"]): Promise<void> {
  return new Promise((resolve) => {
    proxy.fault = (exchange) => {
      proxy.fault = none;
      resolve();
      return fault(exchange);
    };
  });
}

const crowd = (size: number) => Promise.all(Array.from({ length: size }, ask));

// A machine that stalls for longer than a request's patience makes it ask; it does not stall each time.
test(
  "five requests wait for one of them, and are answered by its answer",
  { retry: 3 },
  async () => {
    const asked = await runOut();
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reached = onNext(async (exchange) => {
      await held;
      await none(exchange);
    });
    const first = ask();
    await reached;
    const others = crowd(5);
    await sleep(50);
    release();
    expect(await first).toBe("200");
    expect(await others).toEqual(Array(5).fill("cached-denial"));
    expect(proxy.received.length - asked).toBe(1);
    expect(logs).toEqual([]);
  },
);

test("when the client of the one that asks goes away, the others ask themselves", async () => {
  const asked = await runOut();
  let gone: Promise<unknown>;
  const reached = onNext(({ response }) => {
    gone = once(response, "close");
  });
  const client = request(worker.url, { headers: { "x-user": user }, agent: false });
  client.on("error", () => {}).end();
  await reached;
  const others = crowd(3);
  client.socket!.resetAndDestroy();
  // The request in workerd has ended, and let go of Redis.
  await gone!;
  expect((await others).sort()).toEqual(["200", "limited", "limited"]);
  expect(proxy.received.length - asked).toBe(4);
  expect(await ask()).toBe("cached-denial");
  expect(logs).toEqual([]);
});

test("when the one that asks fails, the others ask themselves, each in its own context", async () => {
  const asked = await runOut();
  const reached = onNext(async ({ reset }) => {
    await sleep(50);
    reset();
  });
  const first = ask();
  await reached;
  const others = crowd(3);
  expect(await first).toBe("store-unavailable");
  expect((await others).sort()).toEqual(["200", "limited", "limited"]);
  expect(proxy.received.length - asked).toBe(4);
  await vi.waitFor(() => expect(logs).toHaveLength(2));
  expect(logs[0]!.message).toMatch(/^tidegate: ERR_STORE_UNREACHABLE: /);
  expect(logs[1]!.message).toMatch(/^tidegate: Redis answers again after 1 s; /);
});
