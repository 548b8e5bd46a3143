import { expect, onTestFinished, test } from "vitest";

import { startWorker, type Worker } from "../../scripts/local-stack/worker.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, limited, liveVariables } from "../support/live/live-gateway.ts";
import { ownRedis } from "../support/own-redis.ts";

/*
 * The drill of docs/live-rules.md with deployed workers: Redis loses everything, and workers are restarted.
 */

const own = ownRedis();

async function openWorkers(more: object = {}) {
  const origin = await startOrigin();
  const variables = {
    ...liveVariables(origin.url, crypto.randomUUID()),
    UPSTASH_REDIS_REST_URL: own.bridge.url,
    UPSTASH_REDIS_REST_TOKEN: own.bridge.token,
    LIVE_REFRESH: "1s",
    METRICS: "off",
    ...more,
  };
  return async () => {
    const worker = await startWorker({ variables, onLog: () => {} });
    onTestFinished(() => worker.stop());
    return worker;
  };
}

async function write({ url }: Worker, method: string, path: string, body: object, over: number) {
  const headers = {
    authorization: `Bearer ${ADMIN_TOKEN}`,
    "content-type": "application/json",
    "if-match": `"${over}"`,
  };
  const init = { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}/_tidegate/api/v1${path}`, init);
  return response.status;
}

async function publish(worker: Worker): Promise<void> {
  expect(await write(worker, "PUT", "/rules", limited(20), 0)).toBe(200);
  expect(await write(worker, "PUT", "/lists/deny", { identity: "x-user-id:mal" }, 1)).toBe(200);
}

/** The status that a client gets, and the limit that it is told. */
async function ask({ url }: Worker, user: string): Promise<string> {
  const { status, headers } = await fetch(`${url}/api/x`, { headers: { "x-user-id": user } });
  const limit = /q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1];
  return [status, limit].join(" ").trim();
}

async function health({ url }: Worker): Promise<string> {
  const response = await fetch(`${url}/_tidegate/health`);
  const { status, code } = (await response.json()) as { status: string; code?: string };
  return [response.status, status, code].join(" ").trim();
}

test("a blocked client stays blocked after FLUSHALL and a restart of one worker after the other, and health says so", async () => {
  const start = await openWorkers();
  const old = await start();
  await publish(old);
  expect([await ask(old, "ada"), await ask(old, "mal")]).toEqual(["200 20", "403"]);
  expect(await health(old)).toBe("200 ok");
  await own.redis.flushall();
  await expect
    .poll(() => ask(old, "ada").then(() => own.redis.keys("*{#live}:state")))
    .toHaveLength(1);
  const anew = await start();
  await old.stop();
  expect([await ask(anew, "ada"), await ask(anew, "mal")]).toEqual(["200 20", "403"]);
  expect(await health(anew)).toBe("200 degraded rules-restored");
  expect(await write(anew, "PUT", "/rules", limited(20), 1)).toBe(200);
  expect(await health(anew)).toBe("200 ok");
});

test("where all workers end with Redis, required rules that are gone are never ok, until a copy is published", async () => {
  const start = await openWorkers({ LIVE_RULES: "required" });
  const old = await start();
  await publish(old);
  expect(await health(old)).toBe("200 ok");
  await old.stop();
  await own.redis.flushall();
  const anew = await start();
  expect([await ask(anew, "ada"), await health(anew)]).toEqual([
    "200 5",
    "503 degraded rules-missing",
  ]);
  await publish(anew);
  expect([await ask(anew, "ada"), await ask(anew, "mal")]).toEqual(["200 20", "403"]);
  expect(await health(anew)).toBe("200 ok");
});
