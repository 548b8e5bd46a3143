import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";

import { demoRules, newClient } from "./demo-rules.ts";
import { ask, expectDenied, fields, left } from "./requests.ts";
import type { Answer } from "./requests.ts";
import { useStack } from "./stack.ts";

const stack = useStack();

describe.each(demoRules)("$route", ({ route, policy, limit, refill, field, addressField }) => {
  test("has its limit, and says so", async () => {
    const client = newClient();
    const begin = performance.now();
    const send = () => ask(stack.workers[0]!, route, client);
    const first = await send();
    const answers = [first];
    // Together: on a busy machine units come back faster than requests that wait for each other take them.
    while (!answers.some(({ status }) => status === 429) && answers.length <= 9 * limit) {
      answers.push(...(await Promise.all(Array.from({ length: limit }, send))));
    }
    const refilled = Math.floor(((performance.now() - begin) / 1000) * refill);
    const passed = answers.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(limit);
    expect(passed).toBeLessThanOrEqual(limit + refilled);

    const last = answers.find(({ status }) => status === 429)!;
    expect(left(first, policy)).toBe(limit - 1);
    expectDenied(last, [policy]);
    const both = addressField ? `${field}, ${addressField}` : field;
    for (const answer of answers) {
      // A denial of Redis lists both, and one that the isolate knows lists the one that denies.
      const told = answer.status === 429 ? [field, both] : [both];
      expect(told).toContain(answer.headers.get("ratelimit-policy"));
      expect(Object.keys(fields(answer, "ratelimit"))).toEqual(
        Object.keys(fields(answer, "ratelimit-policy")),
      );
      expect(answer.headers.get("x-ratelimit-limit")).toBe(`${limit}`);
    }
    const window = fields(first, "ratelimit-policy")[policy]!["w"]!;
    // A unit of a segmented window leaves with its segment, a tenth of the window later at most; the first of a counter's
    // full window when a limit-th of the next one is over.
    const later = { export: window / 10, search: window / limit }[policy] ?? 0;
    expect(Number(last.headers.get("retry-after"))).toBeLessThanOrEqual(Math.ceil(window + later));
  });

  test("counts who its rule says", async () => {
    const [one, other] = [newClient(), newClient()];
    const user = { "x-user-id": one["x-api-key"] };
    const ip = (client: typeof one) => ({ "cf-connecting-ip": client["cf-connecting-ip"] });
    const begin = performance.now();
    const rows: Answer[] = [];
    for (const headers of [
      { ...one, ...user },
      { ...one, ...ip(other), "x-user-id": "someone" },
      { ...user, ...ip(one) },
      { ...user, ...ip(other) },
      ip(one),
      ip(other),
    ]) {
      rows.push(await ask(stack.workers[0]!, route, headers));
    }
    const refilled = Math.floor(((performance.now() - begin) / 1000) * refill);
    // Which request of its identity each one is.
    const places = route === "POST /api/login" ? [1, 1, 2, 2, 3, 3] : [1, 2, 1, 2, 1, 1];
    rows.forEach((row, i) => {
      const least = limit - places[i]!;
      expect(left(row, policy)).toBeGreaterThanOrEqual(least);
      expect(left(row, policy)).toBeLessThanOrEqual(Math.min(limit - 1, least + refilled));
    });
  });
});

test("a client without cf-connecting-ip is the address it calls from", async () => {
  for (let i = 0; i < 2; i++) await ask(stack.workers[0]!, "POST /api/login");
  const named = { "cf-connecting-ip": "127.0.0.1" };
  // One of its own would have four.
  const last = await ask(stack.workers[0]!, "POST /api/login", named);
  expect(left(last, "login-burst")).toBeLessThanOrEqual(2);
});

test.each(["GET /", "GET /api/login", "DELETE /api/rides/request", "POST /api/rides"])(
  "%s has no rule, and passes untouched",
  async (route) => {
    for (let i = 0; i < 60; i++) {
      const { status, headers, body } = await ask(stack.workers[0]!, route, newClient());
      expect(status).toBe(200);
      expect([...headers.keys()].filter((name) => /rate-?limit|retry/i.test(name))).toEqual([]);
      const [method, path] = route.split(" ");
      expect(body).toMatchObject({ method, path });
    }
  },
);

test("a WebSocket goes through to the origin and back", async () => {
  const upgrades = async () =>
    ((await ask(stack.origin, "GET /__counts")).body as Record<string, number>)["GET /live"] ?? 0;
  const before = await upgrades();
  const socket = new WebSocket(`${stack.workers[0]!.replace("http", "ws")}/live`, ["chat"]);
  const events: unknown[] = [];
  await new Promise((resolve) => {
    socket.addEventListener("open", () => socket.send("hello"));
    socket.addEventListener("message", ({ data }) => {
      events.push(data);
      socket.close(1000, "bye");
    });
    socket.addEventListener("error", () => resolve(events.push("error")));
    socket.addEventListener("close", ({ code, reason }) => resolve(events.push(code, reason)));
  });
  expect(events).toEqual(["hello", 1000, "bye"]);
  expect(socket.protocol).toBe("chat");
  expect(await upgrades()).toBe(before + 1);
});

// Last, so that all keys of the tests above are in Redis.
test("every key in Redis has its partition in a hash tag, and an end", async () => {
  const redis = new Redis(stack.redis!, { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const policies = new Set<string>();

  async function look(): Promise<void> {
    for (const key of await redis.keys("*")) {
      // The counts of the requests, which are written once a minute.
      if (key.startsWith("tg:{#metrics}:")) continue;
      const end = await redis.pttl(key);
      // It has ended since.
      if (end === -2) continue;
      const [, policy] =
        /^tg:\{[^{}]+\}:([a-z-]+):[bclsf]\d?(?::\d+[a-z]+(?:\*\d+)?\+?)?$/.exec(key) ?? [];
      expect(policy, key).toBeDefined();
      expect(end, key).toBeGreaterThanOrEqual(0);
      expect(end, key).toBeLessThanOrEqual(3_600_000);
      policies.add(policy!);
    }
  }

  await look();
  for (const { route, policy, address = policy, limit } of demoRules) {
    policies.delete(policy);
    policies.delete(address);
    // All of the quota, as the key of a bucket ends when it is full again; once more, should it have been too slow.
    while (!policies.has(policy) || !policies.has(address)) {
      const client = newClient();
      await Promise.all(Array.from({ length: limit }, () => ask(stack.workers[0]!, route, client)));
      await look();
    }
  }
  const names = demoRules.flatMap(({ policy, address = policy }) => [policy, address]);
  expect(policies).toEqual(new Set([...names, "login-hourly"]));
});
