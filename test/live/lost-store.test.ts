import type { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LiveKeys } from "../../src/store/control/live-keys.ts";
import { limited } from "../support/live/live-gateway.ts";
import { ownRedis } from "../support/own-redis.ts";
import { type Isolate, startFleet } from "./fleet.ts";

/*
 * A control store that loses everything, beside isolates that know what it had, and isolates that do not.
 */

const own = ownRedis();

let logged: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  // Only the clock by which isolates know that it is time to read again.
  vi.useFakeTimers({ toFake: ["performance"] });
  logged = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function startOwn() {
  return startFleet({
    url: own.server.url,
    rest: { url: own.bridge.url, token: own.bridge.token },
  });
}

const FIRST = { "If-Match": '"0"' };
const user = (name: string) => ({ identity: `x-user-id:${name}` });
const statusOf = async (of: Isolate) => JSON.parse(await of.own("/health")).status as string;
const losses = () =>
  logged.mock.calls.flat().filter((line: unknown) => String(line).includes("had lost live rules"));

/** Publishes a limit of 20, and blocks mal. */
async function publish(of: Isolate): Promise<void> {
  expect((await of.api("PUT", "/rules", limited(20), FIRST)).status).toBe(200);
  expect((await of.api("PUT", "/lists/deny", user("mal"))).status).toBe(200);
}

/** Has an isolate read the store again in the background of a request, and waits for the end of it. */
async function readAgain(of: Isolate, settled: () => Promise<unknown>): Promise<void> {
  vi.advanceTimersByTime(10_010);
  await of.ask("reader");
  await expect.poll(settled).toBeTruthy();
}

/** The values of all live keys, to be put back as an older copy is after a failover. */
async function copyOf(redis: Redis, keys: LiveKeys): Promise<() => Promise<unknown>> {
  const names = Object.values(keys) as string[];
  const dumps = await Promise.all(names.map((name) => redis.dumpBuffer(name)));
  return async () => {
    await redis.del(...names);
    await Promise.all(
      names.flatMap((name, i) => (dumps[i] ? [redis.restore(name, 0, dumps[i])] : [])),
    );
  };
}

test("rules and blocks are back in new isolates after FLUSHALL, and the loss is told", async () => {
  const { redis, keys, isolate } = await startOwn();
  const old = isolate();
  await publish(old);
  const before = await redis.hmget(keys.state, "revision", "lineage", "version", "document");
  await redis.flushall();
  await readAgain(old, () => redis.exists(keys.state));
  expect(await redis.hmget(keys.state, "revision", "lineage", "version", "document")).toEqual(
    before,
  );

  const anew = isolate();
  expect([await anew.ask("ada"), await anew.ask("mal")]).toEqual(["200 20", "403"]);
  for (const each of [old, anew]) expect(await statusOf(each)).toBe("degraded");
  expect(await anew.own("/api/v1/metrics")).toContain("\ntidegate_config_restored 1\n");
  expect(losses()).toEqual([expect.stringContaining("version 1 and 1 entry by single calls")]);
  const { entries } = (await anew.api("GET", "/audit")).body;
  expect(entries).toMatchObject([{ n: 1, by: "gateway", action: "restore", version: 1 }]);
  const { versions } = (await anew.api("GET", "/rules/history")).body;
  expect(versions).toMatchObject([{ version: 1, by: "gateway", current: true }]);

  // The next publication ends the notice, in every isolate.
  expect((await anew.api("PUT", "/rules", limited(30), { "If-Match": '"1"' })).status).toBe(200);
  expect(await statusOf(anew)).toBe("ok");
  await readAgain(old, async () => (await old.ask("bob")) === "200 30");
  expect(await statusOf(old)).toBe("ok");
});

test("the first call of a person finds again what an isolate holds, and is not taken for one on an empty store", async () => {
  const { redis, isolate } = await startOwn();
  const old = isolate();
  await publish(old);
  await redis.flushall();
  const refused = await old.api("PUT", "/rules", limited(99), FIRST);
  expect([refused.status, refused.body.version]).toEqual([412, 1]);
  expect((await old.api("GET", "/lists/deny")).body.entries).toMatchObject([user("mal")]);
});

test("an older copy gets back what was written since, and what was removed since stays removed", async () => {
  const { redis, keys, isolate } = await startOwn();
  const old = isolate();
  await publish(old);
  const failOver = await copyOf(redis, keys);
  await old.api("DELETE", "/lists/deny", user("mal"));
  await old.api("PUT", "/lists/deny", user("eve"));
  await old.api("PUT", "/rules", limited(30), { "If-Match": '"1"' });
  await failOver();
  await readAgain(old, async () => (await redis.hget(keys.state, "version")) === "2");
  const anew = isolate();
  expect([await anew.ask("ada"), await anew.ask("mal"), await anew.ask("eve")]).toEqual([
    "200 30",
    "200 30",
    "403",
  ]);
  expect(await statusOf(anew)).toBe("degraded");
});

test("of two isolates that put back at once the one that holds more prevails, whoever is first", async () => {
  const { redis, keys, isolate } = await startOwn();
  const [sleeper, awake] = [isolate(), isolate()];
  await publish(sleeper);
  await awake.api("DELETE", "/lists/deny", user("mal"));
  await awake.api("PUT", "/rules", limited(30), { "If-Match": '"1"' });
  await redis.flushall();
  vi.advanceTimersByTime(3 * 3_600_000);
  // The one that has slept for hours holds an older state, and is the first to find the store empty.
  expect([await sleeper.ask("ada"), await redis.hget(keys.state, "version")]).toEqual([
    "200 20",
    "1",
  ]);
  expect([await awake.ask("ada"), await redis.hget(keys.state, "version")]).toEqual([
    "200 30",
    "2",
  ]);
  vi.advanceTimersByTime(3 * 3_600_000);
  expect([await sleeper.ask("ada"), await sleeper.ask("mal")]).toEqual(["200 30", "200 30"]);

  await redis.flushall();
  vi.advanceTimersByTime(3 * 3_600_000);
  const both = [sleeper, awake, isolate(), isolate()];
  await Promise.all(both.map((each) => each.ask("ada")));
  vi.advanceTimersByTime(3 * 3_600_000);
  for (const each of both) expect(await each.ask("ada")).toBe("200 30");
  // Of all that found it empty one wrote.
  expect((await awake.api("GET", "/audit")).body.entries).toHaveLength(1);
});

test("an isolate that slept through a publication, a rollback and a removal undoes none of them", async () => {
  const { isolate } = await startOwn();
  const [sleeper, awake] = [isolate(), isolate()];
  await publish(sleeper);
  await awake.api("PUT", "/rules", limited(30), { "If-Match": '"1"' });
  await awake.api("POST", "/rules/rollback", { to: 1 });
  await awake.api("DELETE", "/lists/deny", user("mal"));
  // More writes than a lineage names.
  for (let i = 0; i < 60; i++) {
    await awake.api("PUT", "/lists/deny", user("zoe"));
    await awake.api("DELETE", "/lists/deny", user("zoe"));
  }
  vi.advanceTimersByTime(3 * 3_600_000);
  expect([await sleeper.ask("ada"), await sleeper.ask("mal")]).toEqual(["200 20", "200 20"]);
  expect(losses()).toEqual([]);
  expect((await sleeper.api("GET", "/rules")).body.version).toBe(3);
});

test("what somebody publishes or blocks on a store that was just wiped stays, beside what was lost", async () => {
  const { redis, keys, isolate } = await startOwn();
  const old = isolate();
  await publish(old);
  await old.api("PUT", "/rules", limited(30), { "If-Match": '"1"' });
  await redis.flushall();
  // A new isolate knows of no loss.
  const anew = isolate();
  expect((await anew.api("PUT", "/rules", limited(7), FIRST)).body.version).toBe(1);
  expect((await anew.api("PUT", "/lists/deny", user("eve"))).status).toBe(200);
  await readAgain(old, async () => (await redis.hget(keys.state, "version")) === "3");
  for (const each of [old, isolate()]) {
    expect([await each.ask("ada"), await each.ask("mal"), await each.ask("eve")]).toEqual([
      "200 7",
      "403",
      "403",
    ]);
  }
  expect((await old.api("GET", "/rules/history")).body.versions).toMatchObject([
    { version: 3, current: true },
    { version: 2, by: "gateway", current: false },
    { version: 1, current: false },
  ]);
  expect(losses()).toHaveLength(1);
  // What both sides have written goes on from there: a removal is not undone by whoever still holds the block.
  const held = isolate();
  await held.ask("ada");
  await anew.api("DELETE", "/lists/deny", user("mal"));
  vi.advanceTimersByTime(10_010);
  expect((await held.api("GET", "/lists/deny")).body.entries).toMatchObject([user("eve")]);
  expect(losses()).toHaveLength(1);
});

test("a person who withdraws the published rules on purpose has the deployed ones, and nothing puts the others back", async () => {
  const { redis, keys, isolate } = await startOwn();
  const [old, sleeper] = [isolate(), isolate()];
  await publish(old);
  await sleeper.ask("ada");
  expect((await old.api("DELETE", "/rules")).status).toBe(428);
  expect((await old.api("DELETE", "/rules", undefined, { "If-Match": '"2"' })).status).toBe(412);
  expect((await old.api("DELETE", "/rules", undefined, { "If-Match": '"1"' })).status).toBe(204);
  expect((await old.api("DELETE", "/rules", undefined, { "If-Match": '"0"' })).status).toBe(404);
  vi.advanceTimersByTime(3 * 3_600_000);
  for (const each of [sleeper, old, isolate()]) {
    expect([await each.ask("ada"), await each.ask("mal"), await statusOf(each)]).toEqual([
      "200 5",
      "403",
      "ok",
    ]);
  }
  expect([losses(), await redis.hexists(keys.state, "document")]).toEqual([[], 0]);
  expect((await old.api("GET", "/audit")).body.entries[0]).toMatchObject({ action: "withdraw 1" });
  // The history still has it, and the next publication gets a number of its own.
  expect((await old.api("POST", "/rules/rollback", { to: 1 })).body.version).toBe(2);
});

test("with LIVE_RULES required a gateway without published rules is degraded with 503, and enforces the deployed ones", async () => {
  const { redis, isolate } = await startOwn();
  const health = async (of: Isolate) => {
    const { status, body } = await of.api("GET", "/health");
    return [status, body.status];
  };
  const required = { LIVE_RULES: "required" };
  const first = isolate(required);
  expect([await first.ask("ada"), ...(await health(first))]).toEqual(["200 5", 503, "degraded"]);
  await publish(first);
  expect([await first.ask("ada"), ...(await health(first))]).toEqual(["200 20", 200, "ok"]);
  await redis.flushall();
  const anew = isolate(required);
  expect([await anew.ask("ada"), ...(await health(anew))]).toEqual(["200 5", 503, "degraded"]);
  expect(await anew.own("/health")).toContain("LIVE_RULES requires them");
});
