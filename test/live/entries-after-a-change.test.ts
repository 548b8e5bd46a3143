import { expect, test } from "vitest";

import { askAdmin } from "../admin/ask.ts";
import { quota } from "../support/gateway/gateway.ts";
import { DEPLOYED } from "../support/live/live-gateway.ts";
import { type Isolate, startFleet } from "./fleet.ts";

/** Without the policy of the deployed rules. */
const RENAMED = { rules: [{ ...DEPLOYED[0], policies: [quota("renamed", 7)] }] };
const FIRST = { "If-Match": '"0"' };
const user = (name: string) => ({ identity: `x-user-id:${name}` });
interface Listed {
  readonly identity: string;
  readonly inForce?: boolean;
}
const gone = { policies: { api: { limit: 50 } } };

test("a document without the policy of two equal overrides is in force in old and new isolates", async () => {
  const { isolate } = await startFleet();
  const old = isolate();
  for (const name of ["ada", "bob", "cy"]) {
    const put = await old.api("PUT", "/overrides", { ...user(name), ...gone });
    expect(put.status).toBe(200);
  }
  expect(await old.ask("ada")).toBe("200 50");

  const published = await old.api("PUT", "/rules", RENAMED, FIRST);
  expect(published.status).toBe(200);
  expect([await old.ask("ada"), await isolate().ask("ada")]).toEqual(["200 7", "200 7"]);

  const refused = await isolate().api("PUT", "/overrides", { ...user("dee"), ...gone });
  expect([refused.status, refused.body.errors[0].path]).toEqual([422, "policies.api"]);
  const numbers = { identity: "x-user-id:eve", policies: { renamed: { limit: 70 } } };
  expect((await old.api("PUT", "/overrides", numbers)).status).toBe(200);
  expect((await old.api("PUT", "/lists/deny", user("mal"))).status).toBe(200);
  for (const each of [old, isolate()]) {
    expect([await each.ask("eve"), await each.ask("mal"), await each.ask("bob")]).toEqual([
      "200 70",
      "403",
      "200 7",
    ]);
  }
});

test("entries that new rules leave out of force are told before and after, and listed as such", async () => {
  const { isolate } = await startFleet();
  const old = isolate();
  await old.api("PUT", "/overrides", { ...user("ada"), ...gone });
  await old.api("PUT", "/lists/deny", user("mal"));
  const kept = (await old.api("GET", "/overrides")).body.entries;
  expect(kept).toHaveLength(1);
  expect(kept[0]).not.toHaveProperty("inForce");

  const tried = await old.api("PUT", "/rules?dry-run", RENAMED);
  expect([tried.status, tried.body.leftOut]).toEqual([200, 1]);
  await old.api("PUT", "/rules/draft", RENAMED);
  const published = await old.api("POST", "/rules/publish", {});
  expect([published.status, published.body.leftOut]).toEqual([200, 1]);
  for (const each of [old, isolate()]) {
    expect((await each.api("GET", "/overrides")).body.entries).toEqual([
      { ...kept[0], inForce: false },
    ]);
    const [blocked] = (await each.api("GET", "/lists/deny")).body.entries;
    expect(blocked).not.toHaveProperty("inForce");
  }
  const back = await old.api("POST", "/rules/rollback", {});
  expect([back.status, back.body]).toEqual([200, expect.not.objectContaining({ leftOut: 1 })]);
  expect((await isolate().api("GET", "/overrides")).body.entries).toEqual(kept);
});

test("an entry that has ended is not among those that rules leave out of force", async () => {
  const { isolate, redis, keys } = await startFleet();
  const old = isolate();
  await old.api("PUT", "/overrides", { ...user("ada"), ...gone });
  // The next entry that is put or removed takes it out of Redis. Until then, no call lists it.
  const ended = { until: Date.now() - 1, identity: "x-user-id:bob", ...gone };
  await redis.hset(keys.entries, "override:bob", JSON.stringify({ entry: ended }));
  await redis.hincrby(keys.state, "revision", 1);
  const tried = await old.api("PUT", "/rules?dry-run", RENAMED);
  expect([tried.status, tried.body.leftOut]).toEqual([200, 1]);
});

test("an isolate that has not seen a publication yet checks an entry against it all the same", async () => {
  const { isolate } = await startFleet();
  const [one, other] = [isolate(), isolate()];
  await Promise.all([one.ask("ada"), other.ask("ada")]);
  await one.api("PUT", "/rules", RENAMED, FIRST);
  const put = await other.api("PUT", "/overrides", { ...user("ada"), ...gone });
  expect(put.status).toBe(422);
});

test("a client is blocked also by an isolate whose rules Redis has lost", async () => {
  const { isolate, redis, keys } = await startFleet();
  const old = isolate();
  await old.api("PUT", "/rules", RENAMED, FIRST);
  await redis.del(keys.state);
  const put = await old.api("PUT", "/lists/deny", user("mal"));
  expect([put.status, await old.ask("mal"), await isolate().ask("mal")]).toEqual([
    200,
    "403",
    "403",
  ]);
});

test("a block after Redis lost the live rules takes neither them nor earlier blocks out of force", async () => {
  const { isolate, redis, keys } = await startFleet();
  const old = isolate();
  await old.api("PUT", "/lists/deny", user("trudy"));
  await old.api("PUT", "/rules", RENAMED, FIRST);
  await redis.del(keys.state, keys.entries);
  const answers = (of: Isolate) => Promise.all(["ada", "mal", "trudy"].map((each) => of.ask(each)));

  await old.api("PUT", "/lists/deny", user("mal"));
  expect(await answers(old)).toEqual(["200 7", "403", "403"]);
  expect(JSON.parse(await old.own("/health")).status).toBe("degraded");
  // An entry put after the loss can be removed as always.
  await old.api("DELETE", "/lists/deny", user("mal"));
  expect(await answers(old)).toEqual(["200 7", "200 7", "403"]);

  await old.api("PUT", "/lists/deny", user("mal"));
  const held = await old.api("GET", "/rules?held");
  const published = await old.api("PUT", "/rules", held.body.document, { "If-Match": '"1"' });
  expect(published.status).toBe(200);
  for (const each of [old, isolate()]) {
    expect(await answers(each)).toEqual(["200 7", "403", "403"]);
    expect(JSON.parse(await each.own("/health")).status).toBe("ok");
  }
});

test("entries that need values that a platform no longer provides are left out alone", async () => {
  const { isolate } = await startFleet();
  const before = isolate();
  for (const entry of [{ asn: 64_496 }, { asn: 64_497 }, { country: "XK" }, { country: "VA" }]) {
    expect((await before.api("PUT", "/lists/deny", entry)).status).toBe(200);
  }
  await before.api("PUT", "/lists/deny", user("mal"));
  const later = isolate({ CLIENT_IP: '{"trustedHops":1}' });
  expect([await later.ask("ada"), await later.ask("mal")]).toEqual(["200 5", "403"]);
});

test("entries that need an address are left out where no platform is trusted with it", async () => {
  const { isolate } = await startFleet();
  const before = isolate();
  await before.api("PUT", "/lists/deny", { cidr: "203.0.113.0/24" });
  await before.api("PUT", "/lists/deny", { cidr: "198.51.100.0/24" });
  await before.api("PUT", "/lists/deny", user("mal"));
  await before.api("PUT", "/rules", RENAMED, FIRST);
  const later = isolate({ CLIENT_IP: undefined });
  expect([await later.ask("ada"), await later.ask("mal")]).toEqual(["200 7", "403"]);
});

test("an entry that needs an address is refused where no platform is trusted with it", async () => {
  const { isolate } = await startFleet();
  const { api } = isolate({ CLIENT_IP: undefined });
  for (const entry of [{ cidr: "203.0.113.7" }, { asn: 64_496 }, { country: "CH" }]) {
    for (const list of ["allow", "deny"]) {
      const put = await api("PUT", `/lists/${list}`, entry);
      expect([put.status, put.body.errors?.[0]?.path]).toEqual([422, "CLIENT_IP"]);
    }
  }
  expect((await api("PUT", "/lists/deny", user("1"))).status).toBe(200);
});

test("equal tables of numbers that are too many are left out, each of them", async () => {
  const { isolate, redis, keys } = await startFleet();
  const put = (i: number, limit: number) => [
    `override:${i}`,
    JSON.stringify({ entry: { identity: `x-user-id:${i}`, policies: { api: { limit } } } }),
  ];
  // Each table twice, and one table too many. Redis keeps the entries in an order of its own.
  const entries = Array.from({ length: 2_002 }, (_, i) => put(i, Math.floor(i / 2) + 10));
  await redis.hset(keys.entries, Object.fromEntries(entries) as object);
  await redis.hset(keys.state, { revision: 1 });
  const fresh = isolate();
  await fresh.ask("ada");
  const listed = (await fresh.api("GET", "/overrides")).body.entries as Listed[];
  expect(listed).toHaveLength(entries.length);
  const users = listed.flatMap(({ identity, inForce }) =>
    inForce === false ? [Number(identity.slice("x-user-id:".length))] : [],
  );
  const [even, odd] = users.sort((a, b) => a - b);
  expect([users.length, odd! - even!, even! % 2]).toEqual([2, 1, 0]);
  const limits = users.map((user) => fresh.ask(String(user)));
  expect(await Promise.all(limits)).toEqual(["200 5", "200 5"]);
  // All others have the numbers of their tables, of which these are the first and the last.
  const rest = [0, 1, 2_000, 2_001].filter((user) => !users.includes(user));
  for (const user of rest) {
    expect(await fresh.ask(String(user))).toBe(`200 ${Math.floor(user / 2) + 10}`);
  }
});

test.each([
  { sees: true, status: 200, checks: 2 },
  { sees: false, status: 412, checks: 3 },
])(
  "an entry checked before a publication is checked again, and put only if it was with the new rules: $sees",
  async ({ sees, status, checks }) => {
    let published = 0;
    const checkedWith: number[] = [];
    const ask = askAdmin({
      enforced: () => ({ version: published, revision: 1, source: "live", published, ageMs: 1 }),
      // A revision read while the entry is checked for the first time is not published yet.
      refresh: async () => void (published = sees && checkedWith.length > 0 ? 1 : 0),
      checkEntry: () => {
        checkedWith.push(published);
        return [];
      },
    });
    await ask("/rules", { method: "PUT", body: RENAMED, headers: FIRST });
    const put = await ask("/lists/deny", { method: "PUT", body: { asn: 64_496 } });
    expect([put.status, checkedWith.length]).toEqual([status, checks]);
    expect((await ask("/lists/deny")).body.entries).toHaveLength(sees ? 1 : 0);
  },
);
