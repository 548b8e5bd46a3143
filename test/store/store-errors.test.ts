import { expect, inject, onTestFinished, test } from "vitest";

import { fixedWindow, type StoreError } from "../../src/index.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";
import { answers, cutReply, type Fault, startFaultProxy } from "../support/fault-proxy.ts";

const policies = compile([fixedWindow({ limit: 9, window: "1h" })]);

async function failureOf(client: RedisClient): Promise<Pick<StoreError, "code" | "message">> {
  try {
    await redisStore(client, ALL_SCRIPTS).decide("consume", ["tg:{somebody}:p"], [1], policies);
  } catch (error) {
    const { code, message } = error as StoreError;
    return { code, message };
  }
  throw new Error("it did not fail");
}

const clientOf = (url: string) => restClient({ url, token: inject("redisRestToken") }, 10_000);

test("a name that does not resolve", async () => {
  expect(await failureOf(clientOf("https://no-such-host.invalid"))).toEqual({
    code: "ERR_STORE_UNREACHABLE",
    message: expect.stringMatching(/^Redis could not be reached: E[A-Z_]+\.$/),
  });
});

test("a port where no server listens", async () => {
  const proxy = await startFaultProxy("http://127.0.0.1:1");
  await proxy.stop();
  expect(await failureOf(clientOf(proxy.url))).toEqual({
    code: "ERR_STORE_UNREACHABLE",
    message: "Redis could not be reached: ECONNREFUSED.",
  });
});

test("https:// where only http:// is spoken", async () => {
  const url = inject("redisRestUrl").replace("http:", "https:");
  expect(await failureOf(clientOf(url))).toEqual({
    code: "ERR_STORE_UNREACHABLE",
    message: expect.stringMatching(/^Redis could not be reached: ERR_SSL_[A-Z_]+\.$/),
  });
});

const json = (status: number, body: object | null) =>
  answers(status, "application/json", JSON.stringify(body));
const redisSays = (status: number, error: string) => json(status, { error });
const html = (status: number) => answers(status, "text/html", "<html><h1>NOSCRIPT</h1></html>");
const other = (found: string) => `What answered is not the Redis REST API: ${found}.`;
const page = (status: number) => other(`HTTP ${status}, and its body is not JSON`);
const noResult = (status: number) => other(`HTTP ${status} without a result`);
const REFUSED_TOKEN =
  "redis.token: (hidden): Redis rejected it. Copy the REST token (UPSTASH_REDIS_REST_TOKEN) again from the console of your Redis, or from what the bridge prints.";
const MISSING_RIGHT =
  "redis.token: (hidden): it may not run this command or use this key. Give one that may write, with the rights that docs/redis.md names.";
const DAILY = "ERR max daily request limit exceeded. Limit: 10000, Usage: 10000.";

test.for<[name: string, fault: Fault, code: string, message: string | RegExp]>([
  ["an error page of a gateway", html(502), "ERR_STORE_REPLY", page(502)],
  ["a page that is not found", html(404), "ERR_STORE_REPLY", page(404)],
  ["a firewall's page", html(403), "ERR_STORE_REPLY", page(403)],
  ["a page of a website", html(200), "ERR_STORE_REPLY", page(200)],
  [
    "another API that finds nothing",
    json(404, { message: "no" }),
    "ERR_STORE_REPLY",
    noResult(404),
  ],
  ["another API that is limited", json(429, { message: "no" }), "ERR_STORE_REPLY", noResult(429)],
  ["another API that answers", json(200, {}), "ERR_STORE_REPLY", noResult(200)],
  ["null", json(200, null), "ERR_STORE_REPLY", noResult(200)],
  ["401 as JSON", redisSays(401, "Unauthorized"), "ERR_STORE_UNAUTHORIZED", REFUSED_TOKEN],
  ["401 as a page", html(401), "ERR_STORE_UNAUTHORIZED", REFUSED_TOKEN],
  ["a read-only token", redisSays(400, "NOPERM no"), "ERR_STORE_UNAUTHORIZED", MISSING_RIGHT],
  [
    "Upstash's limit per day",
    redisSays(400, `${DAILY} See https://upstash.example/limits`),
    "ERR_STORE_REFUSED",
    /^Redis answered: ERR max daily request limit exceeded\. Limit: 10000, Usage: 10000\./,
  ],
  [
    "too many requests, by Redis",
    redisSays(429, "ERR max requests limit exceeded"),
    "ERR_STORE_REFUSED",
    "Redis answered: ERR max requests limit exceeded.",
  ],
  [
    "an internal error with words",
    redisSays(500, "ERR internal"),
    "ERR_STORE_REFUSED",
    "Redis answered: ERR internal.",
  ],
  [
    "half of a reply",
    cutReply,
    "ERR_STORE_UNREACHABLE",
    /^Redis could not be reached: (UND_ERR_SOCKET|ECONNRESET)\.$/,
  ],
])("%s is said in plain words", async ([, fault, code, message]) => {
  const proxy = await startFaultProxy(inject("redisRestUrl"));
  onTestFinished(() => proxy.stop());
  proxy.fault = fault;
  const failure = await failureOf(clientOf(proxy.url));
  expect(failure.code).toBe(code);
  if (typeof message === "string") expect(failure.message).toBe(message);
  else expect(failure.message).toMatch(message);
});
