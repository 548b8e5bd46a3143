import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, inject, onTestFinished, test } from "vitest";

import { startWorker } from "../../../scripts/local-stack/worker.ts";
import { generous } from "../../support/gateway/gateway.ts";

/** The gateway in workerd in front of an origin, with its log. */
async function deployed(listener: RequestListener, variables: object) {
  const origin = createServer(listener);
  await once(origin.listen(0, "127.0.0.1"), "listening");
  const log: string[] = [];
  const worker = await startWorker({
    variables: {
      ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}`,
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      PREFIX: crypto.randomUUID(),
      TIMEOUT: "10s",
      RULES: generous,
      ...variables,
    },
    onLog: ({ message }) => log.push(message),
  });
  onTestFinished(async () => {
    await worker.stop();
    origin.closeAllConnections();
    origin.close();
  });
  return { worker, log, ask: (path: string) => fetch(worker.url + path) };
}

test("in workerd a silent origin is a 504 and a log line, and one that has begun is not cut off", async () => {
  const { ask, log } = await deployed(
    async ({ url }, response) => {
      if (url === "/silent") return;
      response.write("first ");
      await sleep(1_500);
      response.end("last");
    },
    { ORIGIN_TIMEOUT: "500ms" },
  );
  const slow = await ask("/slow");
  expect([slow.status, await slow.text()]).toEqual([200, "first last"]);
  const silent = await ask("/silent");
  expect([silent.status, silent.headers.get("content-type")]).toEqual([
    504,
    "application/problem+json",
  ]);
  await expect
    .poll(() => log.join("\n"), { timeout: 15_000 })
    .toContain("the origin did not answer within ORIGIN_TIMEOUT: 1 request");
});

test("in workerd a lost secret lets requests pass where ON_ERROR says so", async () => {
  const { ask } = await deployed((_, response) => void response.end("origin"), {
    ON_ERROR: "pass",
    UPSTASH_REDIS_REST_TOKEN: "",
  });
  const answer = await ask("/x");
  expect([answer.status, await answer.text()]).toEqual([200, "origin"]);
  expect(answer.headers.get("ratelimit")).toBeNull();
  expect((await ask("/_tidegate/health")).status).toBe(503);
});
