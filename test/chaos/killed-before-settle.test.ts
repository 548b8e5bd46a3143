import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Hold,
  refundable,
  StoreError,
} from "../../src/index.ts";
import { usage } from "../../src/llm.ts";
import { type OwnStore, startOwnStore, TOKEN } from "./own-store.ts";

let store: OwnStore;
beforeAll(async () => {
  store = await startOwnStore();
});
afterAll(() => store.stop());

/** A model's answer in many pieces, none of which ends where an event does. */
function answer(totalTokens: number): { readonly body: Buffer; readonly response: Response } {
  const told = {
    prompt_tokens: 12,
    completion_tokens: totalTokens - 12,
    total_tokens: totalTokens,
  };
  const lines = Array.from({ length: 400 }, (_, i) =>
    JSON.stringify({ choices: [{ delta: "…".repeat(i) }] }),
  );
  lines.push(JSON.stringify({ choices: [], usage: told }), "[DONE]");
  const body = Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(""));
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close();
      controller.enqueue(new Uint8Array(body.subarray(at, (at += 1_009))));
    },
  });
  const headers = { "content-type": "text/event-stream", "x-request-id": "r-1" };
  return { body, response: new Response(stream, { status: 201, headers }) };
}

test("Redis killed between the reservation and the end: every byte arrives, and the settlements say which parts are unknown", async () => {
  const limiter = createLimiter({
    redis: { url: store.proxy.url, token: TOKEN },
    policies: [
      fixedWindow({ name: "tokens", limit: 100_000, window: "366d", refundable: refundable() }),
      concurrency({ name: "streams", limit: 20, ttl: "60s" }),
    ],
    timeout: "2s",
    onStoreError: () => {},
  });
  const streams: { hold: Hold; body: Buffer; response: Response; ended: Promise<unknown> }[] = [];
  for (let i = 0; i < 8; i++) {
    const { body, response } = answer(812);
    const hold = await limiter.reserve("ada", { cost: { tokens: 4_000 } });
    let ended!: Promise<unknown>;
    const sent = hold.stream(response, {
      usage,
      cost: ({ totalTokens }) => ({ tokens: totalTokens }),
      waitUntil: (promise) => void (ended = promise),
    });
    streams.push({ hold, body, response: sent, ended });
  }
  const remaining = async () => (await limiter.peek("ada")).policies.map((row) => row.remaining);
  expect(await remaining()).toEqual([68_000, 12]);

  const statuses: string[] = [];
  for (const [i, { hold, body, response, ended }] of streams.entries()) {
    const reader = response.body!.getReader();
    const pieces = [(await reader.read()).value!];
    // While the first answer is under way.
    if (i === 0) await store.killRedis();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      pieces.push(read.value);
    }
    expect([response.status, response.headers.get("x-request-id")]).toEqual([201, "r-1"]);
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    await ended;
    const { status, returned, charged, error } = await hold.settle();
    expect({ returned, charged }).toEqual({ returned: {}, charged: {} });
    expect(error).toBeInstanceOf(StoreError);
    expect(status).toBe(error!.code === "ERR_STORE_SUSPENDED" ? "not-sent" : "unknown");
    statuses.push(status);
  }
  // After five failures in a row Redis is not asked, but once per second.
  expect(statuses.slice(0, 5)).toEqual(Array(5).fill("unknown"));
  expect(statuses.slice(5)).toContain("not-sent");

  // An empty one in its place: calls that surely did not run are sent again, and units that Redis has forgotten are not given
  // back.
  await store.startRedis();
  while ((await limiter.peek("ada")).reason !== "allowed") await sleep(50);
  const again = await Promise.all(streams.map(({ hold }) => hold.settle()));
  expect(again.map(({ status }) => status)).toEqual(
    statuses.map((status) => (status === "not-sent" ? "settled" : status)),
  );
  expect(again.every(({ returned }) => Object.keys(returned).length === 0)).toBe(true);
  expect(await remaining()).toEqual([100_000, 20]);
}, 30_000);
