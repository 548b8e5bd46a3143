import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { keptChanges } from "../../src/admin/changes.ts";
import { administered, documentOf } from "../support/admin/administered.ts";
import { type Ask, askAdmin, askingOf, sharedRedis } from "./ask.ts";
import { BY, faultAt, NOW as TIME } from "./rules.ts";

const ID = expect.stringMatching(/^[0-9a-f]{16}$/);

const put = (ask: Ask, path: string, body: object) => ask(path, { method: "PUT", body });
/** An administration, and where Redis has its entries. */
function withEntries() {
  const gateway = administered(sharedRedis());
  const redis = new Redis(inject("redisUrl"));
  onTestFinished(() => redis.disconnect());
  return { ask: askingOf(gateway), redis, key: `${gateway.prefix}:{#live}:entries` };
}

/** Many entries as Redis has them. */
const planted = (count: number, until: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `deny:${i}`,
      `{"entry":{"until":${until},"asn":${i + 2}},"at":1,"by":"admin:00000000"}`,
    ]),
  );

const remove = (ask: Ask, path: string, body?: object) => ask(path, { method: "DELETE", body });

test.for([
  ["/lists/deny", { cidr: "203.0.113.0/24" }, { cidr: "203.0.113.1" }],
  ["/lists/deny", { identity: "x-user-id:42" }, { identity: "x-user-id:43" }],
  ["/lists/allow", { asn: 64496 }, { asn: 64497 }],
  ["/lists/allow", { country: "CH" }, { country: "DE" }],
  ["/overrides", { identity: "x-user-id:p_*", plan: "gold" }, { identity: "x-a:1", plan: "g" }],
] as const)("%s takes %o, lists it and lets it go", async ([path, entry, other]) => {
  const ask = askAdmin();
  const made = await put(ask, path, entry);
  const { appliesTo, ...kept } = made.body;
  expect([made.status, kept]).toEqual([
    200,
    { id: ID, ...entry, at: TIME, by: BY, source: "call" },
  ]);
  const scope = path === "/overrides" ? [{ index: 0, method: "*", path: "/rides" }] : undefined;
  expect(appliesTo).toEqual(scope);
  expect((await ask(path)).body).toEqual({ entries: [kept] });
  expect((await remove(ask, path, other)).status).toBe(404);
  const gone = await remove(ask, path, entry);
  expect([gone.status, gone.text]).toEqual([204, ""]);
  expect(gone.headers.get("cache-control")).toBe("no-store");
  expect((await remove(ask, path, entry)).status).toBe(404);
  expect((await ask(path)).body).toEqual({ entries: [] });
  const kind = path.split("/").at(-1)!.replace("overrides", "override");
  const changes = (change: object) => [{ path: expect.any(String), ...change }];
  expect((await ask("/audit")).body.entries).toEqual([
    {
      n: 2,
      at: TIME,
      by: BY,
      action: `remove ${kind}`,
      changes: changes({ type: "removed", before: entry }),
    },
    {
      n: 1,
      at: TIME,
      by: BY,
      action: `put ${kind}`,
      changes: changes({ type: "added", after: entry }),
    },
  ]);
});

test("an override is removed by its identity alone", async () => {
  const ask = askAdmin();
  const identity = "x-user-id:7";
  await put(ask, "/overrides", { identity, plan: "gold" });
  expect((await remove(ask, "/overrides", { identity: "X-User-Id:7" })).status).toBe(204);
  expect((await remove(ask, "/overrides", { identity })).status).toBe(404);
  expect((await ask("/audit")).body.entries[0].changes).toEqual([
    { type: "removed", path: "overrides", before: { identity: "X-User-Id:7" } },
  ]);
  const refused = await remove(ask, "/overrides", { identity: 7 });
  expect([refused.status, refused.body.errors[0].path]).toEqual([422, "identity"]);
});

test("an entry is removed by its id", async () => {
  const ask = askAdmin();
  const { id } = (await put(ask, "/lists/deny", { cidr: "203.0.113.1" })).body;
  expect((await remove(ask, "/lists/deny?id=0123456789abcdef")).status).toBe(404);
  expect((await remove(ask, "/lists/deny?id=../x")).status).toBe(400);
  expect((await remove(ask, `/lists/allow?id=${id}`)).status).toBe(404);
  expect((await remove(ask, `/lists/deny?id=${id}`)).status).toBe(204);
  const [removed] = (await ask("/audit")).body.entries;
  expect([removed.action, removed.changes]).toEqual([
    "remove deny",
    [{ type: "removed", path: "lists.deny", before: { cidr: "203.0.113.1" } }],
  ]);
});

test.for([
  ["/lists/deny", { identity: "X-User-ID: 42" }, { identity: "x-user-id:42" }],
  ["/lists/deny", { cidr: "2001:DB8:0::/32" }, { cidr: "2001:db8::/32" }],
  ["/lists/deny", { cidr: "203.0.113.7/32" }, { cidr: "203.0.113.7" }],
  ["/overrides", { identity: "X-User-ID:a*", plan: "a" }, { identity: "x-user-id:a*", plan: "b" }],
] as const)("on %s %o and %o are the same client", async ([path, first, second]) => {
  const ask = askAdmin();
  const [one, other] = [await put(ask, path, first), await put(ask, path, second)];
  expect(one.body.id).toBe(other.body.id);
  const { appliesTo: _scope, ...kept } = other.body;
  expect((await ask(path)).body.entries).toEqual([kept]);
});

test("an entry for a while ends, and the next write forgets it", async () => {
  const { ask, redis, key } = withEntries();
  const before = Date.now();
  const { body } = await put(ask, "/lists/deny", { cidr: "203.0.113.1", for: "1h" });
  const until = Date.parse(body.until);
  expect(until).toBeGreaterThanOrEqual(before + 3_600_000);
  expect(until).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect((await ask("/lists/deny")).body.entries).toEqual([body]);

  const [[field, value]] = Object.entries(await redis.hgetall(key)) as [[string, string]];
  const entry = { until, cidr: "203.0.113.1" };
  expect(JSON.parse(value)).toEqual({ entry, at: expect.any(Number), by: BY });
  await redis.hset(key, field, value.replace(String(until), String(Date.now() - 1)));
  expect((await ask("/lists/deny")).body.entries).toEqual([]);
  await put(ask, "/lists/allow", { cidr: "198.51.100.1", until: "2199-01-01T00:00:00+01:00" });
  expect(Object.keys(await redis.hgetall(key))).toEqual([expect.stringMatching(/^allow:/)]);
  expect((await ask("/lists/allow")).body.entries[0].until).toBe("2198-12-31T23:00:00.000Z");
});

test.for([
  [{ cidr: "203.0.113.1", for: "1h", until: "2199-01-01T00:00:00Z" }, "for", '"1h"'],
  [{ cidr: "203.0.113.1", for: "soon" }, "for", '"soon"'],
  [{ cidr: "203.0.113.1", for: 60 }, "for", "60"],
  [{ cidr: "203.0.113.1", until: "2020-01-01T00:00:00Z" }, "until", "2020-01-01T00:00:00.000Z"],
  [{ cidr: "203.0.113.1", until: "tomorrow" }, "until", '"tomorrow"'],
  [{ cidr: "203.0.113.1/24" }, "cidr", '"203.0.113.1/24"'],
  [{ cidr: "203.0.113.1", asn: 1 }, "", '"cidr and asn"'],
] as const)("the entry %o is faulty at %s: %s", async ([entry, path, value]) => {
  const answer = await put(askAdmin(), "/lists/deny", entry);
  expect([answer.status, answer.body.errors]).toEqual([422, [faultAt(path, value)]]);
});

test("entries of the document are listed, and only a document removes them", async () => {
  const ask = askAdmin();
  const document = {
    ...documentOf(5),
    lists: { deny: [{ cidr: "203.0.113.0/24", until: 7_226_582_400_000 }, { country: "CH" }] },
  };
  await ask("/rules", { method: "PUT", body: document, headers: { "If-Match": '"0"' } });
  const made = await put(ask, "/lists/deny", { country: "CH" });
  expect((await ask("/lists/deny")).body.entries).toEqual([
    { cidr: "203.0.113.0/24", until: "2199-01-01T00:00:00.000Z", source: "document" },
    { country: "CH", source: "document" },
    made.body,
  ]);
  expect((await remove(ask, "/lists/deny", { country: "CH" })).status).toBe(204);
  expect((await remove(ask, "/lists/deny", { country: "CH" })).status).toBe(409);
  expect((await remove(ask, "/lists/deny", { cidr: "203.0.113.0/24" })).status).toBe(409);
  expect((await remove(ask, "/lists/allow", { country: "CH" })).status).toBe(404);
});

test("beyond ten thousand entries none is added, and those that are there can be replaced and removed", async () => {
  const { ask, redis, key } = withEntries();
  const { body } = await put(ask, "/lists/deny", { asn: 1 });
  await redis.hset(key, planted(9_999, 7_226_582_400_000));
  const full = await put(ask, "/lists/deny", { asn: 64_496 });
  expect([full.status, full.body.title]).toEqual([409, "Conflict"]);
  expect(await redis.hlen(key)).toBe(10_000);
  expect((await put(ask, "/lists/deny", { asn: 1, for: "1h" })).status).toBe(200);
  expect((await remove(ask, `/lists/deny?id=${body.id}`)).status).toBe(204);
  expect((await put(ask, "/lists/deny", { asn: 64_496 })).status).toBe(200);
  await redis.del(key);
});

test("entries that have ended make room for others", async () => {
  const { ask, redis, key } = withEntries();
  await redis.hset(key, planted(10_000, 1e12));
  expect((await put(ask, "/lists/deny", { asn: 64_496 })).status).toBe(200);
  expect(await redis.hlen(key)).toBe(1);
});

test("beyond two million bytes of entries none is added, and none grows", async () => {
  const { ask, redis, key } = withEntries();
  const entry = { identity: "x-user-id:42", for: "1h" };
  expect((await put(ask, "/lists/deny", entry)).status).toBe(200);
  const bytes = async () =>
    Object.entries(await redis.hgetall(key))
      .flat()
      .join("").length;
  const field = "deny:0";
  const [start, end] = ['{"entry":{"identity":"x-id:', '"},"at":1,"by":"admin:0"}'];
  const left = 2_000_000 - (await bytes()) - (field + start + end).length;
  await redis.hset(key, field, start + "a".repeat(left) + end);
  expect(await bytes()).toBe(2_000_000);

  expect((await put(ask, "/lists/deny", entry)).status).toBe(200);
  const answers = [
    await put(ask, "/lists/deny", { asn: 1 }),
    // The same one with another end has one digit more.
    await put(ask, "/lists/allow", entry),
    await put(ask, "/lists/deny", { ...entry, for: undefined, until: "2999-01-01T00:00:00Z" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
  expect(answers[0]!.body.detail).toBe(
    "There are 10000 entries, or 2000000 bytes of them: put them into the document.",
  );
  expect(await bytes()).toBe(2_000_000);
  await redis.del(key);
});

test("an entry is small", async () => {
  const entry = { identity: `x-user-id:${"a".repeat(3_000)}` };
  expect((await put(askAdmin(), "/lists/deny", entry)).status).toBe(413);
});

test("of a long change the audit keeps that there was one", () => {
  const long = { type: "added", path: "rules[0]", after: "a".repeat(1_500) } as const;
  const short = { ...long, after: "b" };
  expect(keptChanges([short, long, long, short])).toEqual({ changes: [short, long], omitted: 2 });
});

test("of the audit the newest five hundred are kept, and of many changes the first", async () => {
  const ask = askAdmin();
  const deny = Array.from({ length: 40 }, (_, i) => ({ asn: i + 1 }));
  const body = { ...documentOf(1), lists: { deny: [] as object[] } };
  await ask("/rules", { method: "PUT", body, headers: { "If-Match": '"0"' } });
  body.lists.deny = deny;
  await ask("/rules", { method: "PUT", body, headers: { "If-Match": '"1"' } });
  const [entry] = (await ask("/audit")).body.entries;
  expect([entry.changes.length, entry.omitted]).toEqual([20, 20]);
  for (let i = 0; i < 50; i++) {
    await Promise.all(
      Array.from({ length: 10 }, (_, j) => put(ask, "/lists/deny", { asn: 1 + i * 10 + j })),
    );
  }
  const { entries } = (await ask("/audit")).body;
  expect(entries).toHaveLength(500);
  const actions = (list: { action: string }[]) => list.map(({ action }) => action);
  expect(new Set(actions(entries))).toEqual(new Set(["put deny"]));
  // Each further entry takes the place of the oldest.
  const kept = async () => (await ask("/audit")).body.entries;
  for (const [method, path, given, status] of [
    ["DELETE", "/lists/deny", { asn: 7 }, 204],
    ["POST", "/identities/reset", { path: "/" }, 200],
    ["PUT", "/rules/draft", documentOf(9), 200],
    ["POST", "/rules/publish", {}, 200],
  ] as const) {
    expect((await ask(path, { method, body: given })).status).toBe(status);
    expect(await kept()).toHaveLength(500);
  }
  const newest = actions((await kept()).slice(0, 5));
  expect(newest).toEqual(["publish-draft", "draft", "reset", "remove deny", "put deny"]);
});
