import { Redis } from "@upstash/redis";
import { expect, inject, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";

const policies = compile([fixedWindow({ limit: 9, window: "1h" })]);

test("a client of @upstash/redis whose address cannot be read decides by its own way", async () => {
  const [url] = inject("flushedRestUrls");
  const requester = {
    async request({ body, path = [] }: { body?: unknown; path?: string[] }) {
      const response = await fetch([url, ...path].join("/"), {
        method: "POST",
        headers: { authorization: `Bearer ${inject("redisRestToken")}` },
        body: JSON.stringify(body),
      });
      return (await response.json()) as never;
    },
  };
  // As its constructor builds it from an address: with commands gathered, and its own words before the server's.
  const { autoPipeline } = new Redis(requester) as unknown as { autoPipeline(): RedisClient };
  const client = autoPipeline.call(new Redis(requester));
  await requester.request({ body: ["SCRIPT", "FLUSH"] });
  await expect(client.evalsha("0".repeat(40), [], [])).rejects.toThrow("Command failed: NOSCRIPT");
  const store = redisStore(withOwnErrors(client), ALL_SCRIPTS);
  const keys = [`tg:{${crypto.randomUUID()}}:p`];
  const { rows } = await store.decide("consume", keys, [1], policies);
  expect(rows).toMatchObject([{ allowed: true, remaining: 8 }]);
});

test.for([
  "NOSCRIPT No matching script. Please use EVAL.",
  "Command failed: NOSCRIPT No matching script.",
  "Command 1 [ evalsha ] failed: NOSCRIPT No matching script",
  "ReplyError: NOSCRIPT No matching script.",
])("a missing script is known from %j", async (message) => {
  const calls: string[] = [];
  const client: RedisClient = {
    async evalsha() {
      calls.push("evalsha");
      throw new Error(message);
    },
    async eval() {
      calls.push("eval");
      return [1, 1, 8, 0, 0];
    },
  };
  await redisStore(withOwnErrors(client), ALL_SCRIPTS).decide("consume", ["k"], [1], policies);
  expect(calls).toEqual(["evalsha", "eval"]);
});
