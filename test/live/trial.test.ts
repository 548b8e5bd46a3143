import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { DEPLOYED, limited, logLines } from "../support/live/live-gateway.ts";
import { type Isolate, startFleet } from "./fleet.ts";

/*
 * A version that a part of the clients has, beside the one that the others keep.
 */

beforeEach(() => {
  // Only the clock by which isolates know that it is time to read again.
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const based = (version: number) => ({ "If-Match": `"${version}"` });
const users = Array.from({ length: 400 }, (_, i) => `user-${i}`);

/** The users that an isolate gives a limit. */
async function usersWith(limit: number, of: Isolate, among = users): Promise<Set<string>> {
  const found = new Set<string>();
  // All at once would open as many connections to the origin.
  const waiting = among.values();
  const lane = async () => {
    for (const user of waiting) if ((await of.ask(user)) === `200 ${limit}`) found.add(user);
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  return found;
}

async function rulesOf(of: Isolate) {
  return (await of.api("GET", "/rules")).body;
}

const raise = (of: Isolate, percent: number) => of.api("PUT", "/rules/trial", { percent });

/** Publishes a limit of 20 to all clients, and one of 30 to a part of them. */
async function startTrial(percent: number, query = "", document: object = limited(30)) {
  const fleet = await startFleet();
  const one = fleet.isolate();
  await one.api("PUT", "/rules", limited(20), based(0));
  const { status, body } = await one.api(
    "PUT",
    `/rules?percent=${percent}${query}`,
    document,
    based(1),
  );
  expect([status, body.version]).toEqual([200, 2]);
  return { ...fleet, one };
}

test("each client has one version, in every isolate, and a higher percentage takes nobody back", async () => {
  const { one, isolate } = await startTrial(10);
  const before = await usersWith(30, one);
  expect(before.size).toBeGreaterThan(20);
  expect(before.size).toBeLessThan(60);
  const few = users.slice(0, 100);
  const of = new Set(few.filter((user) => before.has(user)));
  expect(await usersWith(30, isolate(), few)).toEqual(of);
  expect((await raise(one, 75)).body).toMatchObject({ version: 2 });
  const now = await usersWith(30, one);
  expect([...before].filter((user) => !now.has(user))).toEqual([]);
  expect(Math.abs(now.size / users.length - 0.75)).toBeLessThan(0.1);
  await raise(one, 100);
  expect((await usersWith(30, one, users.slice(0, 50))).size).toBe(50);
  expect(await rulesOf(one)).toMatchObject({ version: 2, document: limited(30) });
  expect(await rulesOf(one)).not.toHaveProperty("trial");
});

test("what is tried next over the same version has the same clients", async () => {
  const { one } = await startTrial(20);
  const first = await usersWith(30, one, users.slice(0, 60));
  const next = await one.api("PUT", "/rules?percent=20", limited(40), based(2));
  expect(next.body).toMatchObject({ version: 3 });
  expect(await usersWith(40, one, users.slice(0, 60))).toEqual(first);
});

test("a rollback takes a version back, and both versions count in the same keys", async () => {
  const { one } = await startTrial(50);
  const [user] = await usersWith(30, one, users.slice(0, 20));
  const left = async () => {
    const asked = { path: "/api/x", headers: { "x-user-id": user } };
    const { version, rules } = (await one.api("POST", "/explain", asked)).body;
    return [version, rules[0].policies[0].limit, rules[0].policies[0].remaining];
  };
  expect(await left()).toEqual([2, 30, 29]);
  const back = await one.api("POST", "/rules/rollback", {});
  expect(back.body).toMatchObject({
    version: 1,
    changes: [{ path: "rules[0].policies[0].limit", before: 30, after: 20 }],
  });
  expect(await left()).toEqual([1, 20, 19]);
  expect((await one.api("GET", "/rules/history")).body.versions).toMatchObject([
    { version: 2, current: false, takenBack: true },
    { version: 1, current: true },
  ]);
  expect((await one.api("GET", "/audit")).body.entries).toMatchObject([
    { action: "take back 2", version: 1 },
    { action: "publish to 50 percent", version: 2 },
    { action: "publish", version: 1 },
  ]);
});

test("decisions of both sides are counted exactly, over all isolates", async () => {
  const { one, isolate } = await startTrial(40);
  const other = isolate();
  const tried = { decided: 0, denied: 0 };
  const others = { decided: 0, denied: 0 };
  for (const of of [one, other]) {
    for (const user of users.slice(0, 20)) {
      for (let i = 0; i < 16; i++) {
        const [status, limit] = (await of.ask(user)).split(" ");
        const side = limit === "30" ? tried : others;
        side.decided++;
        if (status === "429") side.denied++;
      }
    }
  }
  expect(tried.decided + others.decided).toBe(640);
  expect(Math.min(tried.denied, others.denied)).toBeGreaterThan(0);
  await rulesOf(other);
  expect((await rulesOf(one)).trial).toMatchObject({ percent: 40, counts: { tried, others } });
});

test("requests without an identity of their own keep the version of before, and are not counted", async () => {
  const shared = (limit: number) => ({
    rules: [{ path: "/api/*", partition: "*", policies: [quota("api", limit)] }],
  });
  const { isolate } = await startFleet();
  const one = isolate();
  await one.api("PUT", "/rules", shared(1_000), based(0));
  await one.api("PUT", "/rules?percent=99", shared(2_000), based(1));
  expect((await usersWith(1_000, one, users.slice(0, 20))).size).toBe(20);
  expect((await rulesOf(one)).trial.counts.others.decided).toBe(0);
});

test("a rule that only the tried version has is asked who the client is", async () => {
  const more = {
    rules: [...limited(20).rules, { ...DEPLOYED[0], path: "/new", policies: [quota("new", 7)] }],
  };
  const { one } = await startTrial(50, "", more);
  const answers = await Promise.all(users.slice(0, 40).map((user) => one.ask(user, "/new")));
  const limitedOnes = answers.filter((answer) => answer === "200 7").length;
  expect(limitedOnes).toBeGreaterThan(8);
  expect(limitedOnes).toBeLessThan(32);
  expect(answers.filter((answer) => answer === "200")).toHaveLength(40 - limitedOnes);
});

test("the lists of a version are those of its side, and entries by single calls hold on both", async () => {
  const blocking = { ...limited(30), lists: { deny: [{ cidr: "192.0.2.0/24" }] } };
  const { one } = await startTrial(50, "", blocking);
  const answers = await Promise.all(users.slice(0, 60).map((user) => one.ask(user)));
  expect(new Set(answers)).toEqual(new Set(["403", "200 20"]));
  const { counts } = (await rulesOf(one)).trial;
  const blocked = answers.filter((answer) => answer === "403").length;
  expect(counts.tried).toEqual({ decided: blocked, denied: blocked });
  await one.api("PUT", "/lists/deny", { identity: "x-user-id:user-0" });
  await one.api("PUT", "/lists/deny", { identity: "x-user-id:user-1" });
  const free = answers.flatMap((answer, i) => (answer === "403" ? [] : [i])).slice(0, 2);
  for (const i of free) await one.api("PUT", "/lists/deny", { identity: `x-user-id:user-${i}` });
  for (const i of [0, 1, ...free]) expect(await one.ask(`user-${i}`)).toBe("403");
});

test("a version whose denials exceed the bound is taken back, by the isolate that tells of them", async () => {
  const lines = logLines();
  const { one, isolate } = await startTrial(50, "&max-denied=0.1", limited(1));
  const other = isolate();
  const asked = users.slice(0, 80);
  for (const user of asked) for (let i = 0; i < 3; i++) await one.ask(user);
  expect((await usersWith(1, other, ["warm", ...asked])).size).toBe(0);
  // The other isolate learns of it with its next read.
  vi.advanceTimersByTime(10_010);
  await one.ask("reader");
  await expect.poll(async () => (await rulesOf(other)).trial).toBeUndefined();
  expect(lines().filter((line) => line.includes("version 2 was taken back"))).toHaveLength(1);
  expect((await usersWith(20, other, asked)).size).toBe(asked.length);
  expect((await one.api("GET", "/audit")).body.entries[0]).toMatchObject({
    by: "gateway",
    action: "take back 2",
    version: 1,
    changes: [{ type: "removed", path: "trial" }],
  });
});

test("a version that a store has lost with the others is put back, with its clients", async () => {
  logLines();
  const { one, redis, keys, isolate } = await startTrial(30);
  const before = await usersWith(30, one, users.slice(0, 40));
  await redis.del(...Object.values(keys));
  await rulesOf(one);
  expect(await usersWith(30, isolate(), users.slice(0, 40))).toEqual(before);
  expect((await rulesOf(one)).trial).toMatchObject({ version: 2, percent: 30 });
  expect((await raise(one, 100)).body).toMatchObject({ version: 2 });
});

test("an isolate that cannot compile a tried version has that of before for all clients, and says so", async () => {
  const lines = logLines();
  const { redis, keys, isolate } = await startTrial(50);
  await redis.hset(keys.state, "trialDocument", '{"rules":[{"path":"/api/*","later":true}]}');
  const older = isolate();
  expect((await usersWith(20, older, users.slice(0, 20))).size).toBe(20);
  const health = (await older.api("GET", "/health")).body;
  expect(health.status).toBe("degraded");
  expect(health.live.error).toMatch(/^version 2 of the live rules, which is tried on 50 percent/);
  expect(lines().filter((line) => line.includes("is tried on 50 percent"))).toHaveLength(1);
});

test("an isolate falls back to no version that is tried, or was taken back", async () => {
  logLines();
  const { redis, keys, isolate, one } = await startTrial(50);
  await redis.hset(keys.state, "document", '{"rules":[]}');
  await redis.hset(keys.history, "1", '{"version":1,"by":"a","document":{"rules":[]}}');
  expect((await isolate().api("GET", "/health")).body.live.version).toBe(0);
  await raise(one, 99);
  await one.api("PUT", "/rules", limited(40), based(2));
  await redis.hset(keys.state, "document", '{"rules":[]}');
  await redis.hset(keys.history, "3", '{"version":3,"by":"a","document":{"rules":[]}}');
  expect((await isolate().api("GET", "/health")).body.live.version).toBe(0);
});

test.each([
  { trialTerms: "{" },
  { trialTerms: '{"percent":1e308,"maxDenied":"x"}' },
  { trialTerms: '{"percent":-5}' },
])("a trial with %j gives nobody its version, and a rollback mends it", async (fields) => {
  const { redis, keys, isolate } = await startTrial(99);
  await redis.hset(keys.state, fields);
  const anew = isolate();
  expect((await usersWith(20, anew, users.slice(0, 10))).size).toBe(10);
  expect((await rulesOf(anew)).trial).toMatchObject({ version: 2, percent: 0 });
  expect((await anew.api("POST", "/rules/rollback", {})).body).toMatchObject({ takenBack: 2 });
  expect(await rulesOf(anew)).not.toHaveProperty("trial");
});

test("a number of a trial that Tidegate does not write is none", async () => {
  const { redis, keys, isolate } = await startTrial(99);
  await redis.hset(keys.state, "trial", "1e308");
  const anew = isolate();
  expect((await usersWith(20, anew, users.slice(0, 10))).size).toBe(10);
  expect((await anew.api("PUT", "/rules", limited(40), based(1))).body.version).toBe(3);
});

test("a client reads the quota of its side", async () => {
  const showing = (limit: number) => ({
    rules: [{ ...limited(limit).rules[0], quota: true }],
  });
  const { isolate } = await startFleet();
  const one = isolate();
  await one.api("PUT", "/rules", showing(20), based(0));
  await one.api("PUT", "/rules?percent=50", showing(30), based(1));
  const mine = await usersWith(30, one, users.slice(0, 10));
  for (const user of users.slice(0, 10)) {
    const { policies } = JSON.parse(await one.own("/quota", { "x-user-id": user }));
    expect(policies[0].limit).toBe(mine.has(user) ? 30 : 20);
  }
});
