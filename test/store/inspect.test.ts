import { expect, test } from "vitest";

import { guardStore } from "../../src/store/guarded-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { inspectRedis } from "../../src/store/redis/inspect.ts";
import { redisStore } from "../../src/store/redis/store.ts";

/** Inspects a Redis whose script for its version answers like this. */
function inspecting(version: (script: string, keys: string[]) => Promise<unknown>) {
  const client: RedisClient = { evalsha: () => Promise.resolve([]), eval: version };
  const store = redisStore(client, ALL_SCRIPTS);
  const guard = guardStore(store, { timeoutMs: 5, now: () => 0, onStoreError: () => {} });
  return inspectRedis(client, { firstLine: "" }, guard, 5);
}

test("a version that comes after the timeout is unknown, and asked for again", async () => {
  let asked = 0;
  const inspect = inspecting(() =>
    ++asked === 1 ? new Promise(() => {}) : Promise.resolve("7.2.4"),
  );
  expect((await inspect()).version).toBe("unknown");
  expect((await inspect()).version).toBe("7.2.4");
  await inspect();
  expect(asked).toBe(2);
});

test("the script that asks for the version has a key, because some services refuse those without", async () => {
  const keys: string[][] = [];
  const inspect = inspecting((_, given) => (keys.push(given), Promise.resolve("7.2.4")));
  await inspect();
  expect(keys).toEqual([["tg:{#version}"]]);
});

test("a Redis that is suspended is not asked, and one that answers again is", async () => {
  let asked = 0;
  let nowMs = 0;
  const client: RedisClient = {
    evalsha: () => Promise.reject(new TypeError("gone")),
    eval: () => Promise.resolve((asked++, "7.2.4")),
  };
  const store = redisStore(client, ALL_SCRIPTS);
  const guard = guardStore(store, { timeoutMs: 5, now: () => nowMs, onStoreError: () => {} });
  const inspect = inspectRedis(client, { firstLine: "" }, guard, 5);
  for (let i = 0; i < 5; i++) await Promise.resolve(guard.reset(["k"])).catch(() => {});
  expect(await inspect()).toMatchObject({ breaker: "open", version: "unknown" });
  nowMs += 1_000;
  expect(await inspect()).toMatchObject({ breaker: "half-open", version: "unknown" });
  expect(asked).toBe(0);
  client.evalsha = () => Promise.resolve([5]);
  await guard.reset(["k"]);
  expect(await inspect()).toMatchObject({ breaker: "closed", version: "7.2.4" });
});

test("a Redis that does not say its version has an unknown one", async () => {
  expect((await inspecting(() => Promise.resolve(null))()).version).toBe("unknown");
});
