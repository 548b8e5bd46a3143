import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { KEY_LOCKING } from "../../src/algorithms/scripts.generated.ts";
import { administered, documentOf } from "../support/admin/administered.ts";
import { askingOf, sharedRedis } from "./ask.ts";
import { behindProxy } from "./behind-proxy.ts";

test("a server that refuses the first line of the scripts gets them once more without it, and never again with it", async () => {
  const { proxy, ask } = await behindProxy({ dialect: "upstash" });
  await Promise.all(Array.from({ length: 20 }, () => ask("/rules")));
  expect((await ask("/lists/deny", { method: "PUT", body: { asn: 1 } })).status).toBe(200);
  const after = proxy.received.length;
  await ask("/lists/deny", { method: "PUT", body: { asn: 2 } });
  expect(proxy.received.slice(after).map(({ body }) => body.includes("#!lua"))).toEqual([false]);
});

test("Upstash gets the first line by which it locks only the keys of a script", async () => {
  const { proxy, ask } = await behindProxy({ emulate: "upstash", dialect: "upstash" });
  const headers = { "If-Match": '"0"' };
  // The emulation refuses a script that touches a key which it does not declare.
  expect((await ask("/rules", { method: "PUT", body: documentOf(7), headers })).status).toBe(200);
  for (const [method, path, body] of [
    ["PUT", "/rules/draft", documentOf(8)],
    ["POST", "/rules/publish"],
    ["POST", "/rules/rollback"],
    ["GET", "/rules/history"],
    ["PUT", "/lists/deny", { asn: 1 }],
    ["GET", "/lists/deny"],
    ["POST", "/identities/reset", { path: "/" }],
    ["GET", "/audit"],
  ] as const) {
    expect([path, (await ask(path, { method, body })).status]).toEqual([path, 200]);
  }
  expect((await ask("/lists/deny", { method: "DELETE", body: { asn: 1 } })).status).toBe(204);
  const scripts = proxy.received.map(({ body }) => JSON.parse(body) as string[]);
  for (const [name, script] of scripts) {
    if (name!.toUpperCase() === "EVAL") expect(script!.startsWith(KEY_LOCKING)).toBe(true);
  }
});

test("the revision grows with every write, also when the clock of Redis is behind it", async () => {
  const gateway = administered(sharedRedis());
  const ask = askingOf(gateway);
  const redis = new Redis(inject("redisUrl"));
  onTestFinished(() => redis.disconnect());
  const state = `${gateway.prefix}:{#live}:state`;
  const revision = async () => Number(await redis.hget(state, "revision"));
  const [seconds, micros] = await redis.time();
  await ask("/lists/deny", { method: "PUT", body: { asn: 1 } });
  const first = await revision();
  expect(first).toBeGreaterThan(Number(seconds) * 1e6 + Number(micros));
  const ahead = first + 3_600e6;
  await redis.hset(state, "revision", ahead);
  const writes = [
    ["PUT", "/lists/deny", { asn: 2 }],
    ["DELETE", "/lists/deny", { asn: 2 }],
    ["PUT", "/overrides", { identity: "x-user-id:1", plan: "gold" }],
    ["PUT", "/rules/draft", documentOf(1)],
    ["POST", "/rules/publish"],
    ["POST", "/identities/reset", { path: "/" }],
  ] as const;
  for (const [i, [method, path, body]] of writes.entries()) {
    await ask(path, { method, body });
    expect([path, await revision()]).toEqual([path, ahead + i + 1]);
  }
});
