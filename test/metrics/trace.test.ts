import { expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Outcome } from "../../src/decision/outcome.ts";
import { eventText, lineStart } from "../../src/metrics/trace-text.ts";
import { createTrace } from "../../src/metrics/trace.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { samplesWith } from "../support/metrics/samples-with.ts";
import { MORNING, sampledClients, traced } from "./traced.ts";

const POLICY = compilePolicy(fixedWindow({ name: "p", limit: 3, window: "1h" }));
const SPAN = { fromMs: MORNING, toMs: MORNING + 600_000 };

test("one partition in 64 is in the sample, whole and the same in each isolate, and another secret has another sample", async () => {
  const { open, reader, secret, clock } = traced(POLICY);
  const isolates = [open(), open(), open()];
  const clients = Array.from({ length: 20_000 }, (_, i) => `x-user-id:${i}`);
  for (const isolate of isolates) {
    for (const client of clients) {
      clock.ms++;
      isolate.decide(client);
    }
    await isolate.flush();
  }
  const isSampled = samplesWith(secret);
  const chosen = clients.filter(isSampled);
  expect(Math.abs(chosen.length - 20_000 / 64)).toBeLessThan(5 * Math.sqrt(20_000 / 64));
  const { sample } = await reader.sampleOfPolicy("p", SPAN);
  expect(sample.oneIn).toBe(64);
  expect(sample.partitions.map(({ requests }) => requests.length)).toEqual(chosen.map(() => 3));
  const other = samplesWith("another");
  expect(chosen.filter(other).length).toBeLessThan(chosen.length / 8);
});

test("of more requests than an isolate may keep whole partitions are left out, in every isolate", async () => {
  const { open, reader, secret } = traced(POLICY);
  const [busy, quiet] = [open(), open()];
  const clients = sampledClients(secret, 600);
  for (const client of clients) {
    quiet.decide(client);
    if (client === clients[300]) await quiet.flush();
  }
  for (let i = 0; i < 3; i++) for (const client of clients) busy.decide(client);
  await Promise.all([busy.flush(), quiet.flush()]);
  const { sample, counted } = await reader.sampleOfPolicy("p", SPAN);
  expect(counted.requests).toBe(2_400);
  expect(sample.oneIn).toBeGreaterThanOrEqual(256);
  const { length } = sample.partitions;
  expect(Math.abs(length - (600 * 64) / sample.oneIn)).toBeLessThan(50);
  expect(sample.partitions.map(({ requests }) => requests.length)).toEqual(
    Array.from({ length }, () => 4),
  );
});

test("ten minutes of Redis have at most 20,000 requests, in whole partitions", async () => {
  const { open, reader, redis, keys, secret } = traced(POLICY);
  const isolate = open();
  const clients = sampledClients(secret, 450);
  for (let flush = 0; flush < 60; flush++) {
    for (const client of clients) isolate.decide(client);
    await isolate.flush();
  }
  const { level, events, ...chunks } = await redis.hgetall(keys.trace(MORNING));
  expect(level).toBe("1");
  expect(Number(events)).toBeLessThanOrEqual(20_000);
  const sizes = Object.keys(chunks).map((name) => Number(name.split(".")[1]));
  expect(sizes.reduce((sum, size) => sum + size)).toBe(Number(events));
  const { sample } = await reader.sampleOfPolicy("p", SPAN);
  expect(sample.oneIn).toBe(128);
  expect(new Set(sample.partitions.map(({ requests }) => requests.length))).toEqual(new Set([60]));
});

test("of requests to two isolates in one millisecond those that had room came first, in any order of writing", async () => {
  const { open, reader, secret } = traced(POLICY);
  const [one, other] = [open(), open()];
  const [client] = sampledClients(secret, 1);
  expect([1, 2, 3].map(() => one.decide(client!))).toEqual([true, true, true]);
  expect(other.decide(client!)).toBe(false);
  await other.flush();
  await one.flush();
  const { sample } = await reader.sampleOfPolicy("p", SPAN);
  const [{ requests }] = sample.partitions as [(typeof sample.partitions)[number]];
  expect(requests.map(({ hasRoom }) => hasRoom)).toEqual([true, true, true, false]);
});

test("no part of an identity is stored", async () => {
  const { open, redis, keys, secret } = traced(POLICY);
  const isolate = open();
  const clients = sampledClients(secret, 50);
  for (const client of clients) isolate.decide(client);
  await isolate.flush();
  const stored = Object.entries(await redis.hgetall(keys.trace(MORNING)))
    .flat()
    .join("\n");
  expect(stored.match(/^p [0-9a-z]+ 3 [0-9a-z]+A$/gm)).toHaveLength(50);
  expect(stored).not.toContain("x-user-id");
  expect(stored).not.toContain(secret);
});

test("an isolate that had too many requests begins anew with whole partitions of every class", async () => {
  const { open, redis, keys, secret, clock } = traced(POLICY);
  const isolate = open();
  const clients = sampledClients(secret, 600);
  for (const client of clients) isolate.decide(client);
  await isolate.flush();
  expect(Number(await redis.hget(keys.trace(MORNING), "level"))).toBeGreaterThan(0);
  clock.ms += 600_000;
  for (const client of clients.slice(0, 100)) isolate.decide(client);
  await isolate.flush();
  const later = await redis.hmget(keys.trace(clock.ms), "level", "events");
  expect(later).toEqual(["0", "100"]);
});

/** The requests that an isolate keeps of one that was decided so. */
function keptOf(reason: Outcome["reason"]): number {
  const trace = createTrace("secret");
  const rows = [{ allowed: true, remaining: 2, retryAfterUs: 0, resetAfterUs: 0 }];
  const outcome = { reason, status: 200, policies: [POLICY], nowUs: 1e15, rows } as const;
  trace.note(outcome as Outcome, { "": sampledClients("secret", 1)[0]! }, undefined);
  return trace.take().chunks.reduce((sum, { events }) => sum + events, 0);
}

test.each([
  ["allowed", 1],
  ["limited", 1],
  ["cached-denial", 1],
  ["cost-exceeds-limit", 1],
  // Redis counted nothing of it, so that a replay would deny what passed.
  ["store-unavailable", 0],
] as const)("of a request that was decided as %s, the sample has %i", (reason, kept) => {
  expect(keptOf(reason)).toBe(kept);
});

/** Ten minutes of a partition with this many requests, as an isolate writes them. */
function chunkOf(partition: number, requests: number, ms: number): string {
  const event = eventText({ ms: 1, cost: 1, hasRoom: true, isDenied: false });
  const first = eventText({ ms, cost: 1, hasRoom: true, isDenied: false });
  return lineStart("p", partition, 3) + first + event.repeat(requests - 1);
}

test("many calls read the whole, and no reply is larger than a megabyte", async () => {
  const { redis, keys, reader } = traced(POLICY);
  const span = { fromMs: MORNING, toMs: MORNING + 6 * 600_000 };
  const REQUESTS = 100_000;
  for (let i = 0; i < 6; i++) {
    const ms = MORNING + i * 600_000;
    const field = `0.${REQUESTS}.${ms / 60_000}.isolate.1`;
    await redis.hset(keys.trace(ms), {
      level: 0,
      events: REQUESTS,
      [field]: chunkOf(i, REQUESTS, ms),
    });
  }
  const { fetch } = globalThis;
  const sizes: number[] = [];
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    const response = await fetch(...asked);
    sizes.push((await response.clone().text()).length);
    return response;
  });
  const { sample } = await reader.sampleOfPolicy("p", span);
  fetched.mockRestore();
  expect(sample.partitions.map(({ requests }) => requests.length)).toEqual(
    Array.from({ length: 6 }, () => REQUESTS),
  );
  // Three of these chunks fit into a reply; the sixty hashes of counts are empty.
  expect(sizes.filter((size) => size > 10_000)).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(1_010_000);
});
