import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { anHourLater, startMetered } from "./metered.ts";

const RULES = [{ path: "/api/*", partition: ["header:x-key", "ip"], policies: [quota("api", 3)] }];
const ANOTHER_DAY = "2099-01-01T00:00:00.000Z";

/** A gateway, and its administration as people ask it. */
async function start(variables: object = {}) {
  const { isolate, call } = await startMetered(RULES, variables);
  return {
    ...isolate,
    async call(...asked: Parameters<typeof call>) {
      const answer = await call(...asked);
      expect([200, 204]).toContain(answer.status);
      return answer.body;
    },
  };
}

const REQUEST = { path: "/api/x", headers: { "x-key": "ada" }, ip: "203.0.113.7" };

test("explain names the entries that block a client, and none that do not", async () => {
  const deny = [{ cidr: "203.0.113.0/24" }, { cidr: "198.51.100.0/24" }];
  const { call } = await start({ LISTS: { deny } });
  await call("PUT", "/lists/deny", { identity: "x-key:ada", until: ANOTHER_DAY });
  await call("PUT", "/lists/deny", { identity: "x-key:bob" });
  await call("PUT", "/lists/allow", { identity: "x-key:cleo" });
  const explained = await call("POST", "/explain", REQUEST);
  expect([explained.verdict, explained.entries]).toEqual([
    "blocked",
    [{ cidr: "203.0.113.0/24" }, { identity: "x-key:ada", until: ANOTHER_DAY }],
  ]);
  const exempt = await call("POST", "/explain", { ...REQUEST, headers: { "x-key": "cleo" } });
  expect([exempt.verdict, exempt.entries]).toEqual(["exempt", [{ identity: "x-key:cleo" }]]);
  const counted = await call("POST", "/explain", { path: "/api/x", ip: "192.0.2.1" });
  expect([counted.verdict, "entries" in counted]).toEqual(["allowed", false]);
});

test.each(["cidr", "digest"])(
  "explain does not name an entry by %s that has ended",
  async (ended) => {
    const { call, administered } = await start();
    const { identity } = (await administered.counted(REQUEST))[0]!;
    const names = { cidr: "203.0.113.7", digest: identity };
    const { [ended as "cidr"]: first, ...kept } = names;
    await call("PUT", "/lists/deny", { [ended]: first, for: "1h" });
    await call("PUT", "/lists/deny", kept);
    const named = async () => (await call("POST", "/explain", REQUEST)).entries;
    const both = await named();
    expect(both).toHaveLength(2);
    expect(both).toContainEqual({ [ended]: first, until: expect.any(String) });
    expect(both).toContainEqual(kept);
    expect(await anHourLater(named)).toEqual([kept]);
  },
);

test("explain names at most ten entries", async () => {
  const deny = Array.from({ length: 17 }, (_, i) => ({ cidr: `203.0.0.0/${8 + i}` }));
  const { call } = await start({ LISTS: { deny } });
  const { entries } = await call("POST", "/explain", { ...REQUEST, ip: "203.0.0.7" });
  expect(entries).toHaveLength(10);
});

test("the earlier counts of a client that a list blocks are known, and can be reset", async () => {
  const { call, ask } = await start();
  const sent = () => ask("/api/x", REQUEST.ip, { headers: REQUEST.headers });
  for (let i = 0; i < 5; i++) await sent();
  await call("PUT", "/lists/deny", { identity: "x-key:ada" });
  expect((await sent()).status).toBe(403);
  const { partitions } = await call("POST", "/partitions/history", { request: REQUEST });
  const denied = (partitions as { denied: number[] }[]).map((row) =>
    row.denied.reduce((sum, each) => sum + each, 0),
  );
  expect(denied).toEqual([2]);
  const { reset } = await call("POST", "/identities/reset", REQUEST);
  expect(reset).toEqual([{ policy: "api", partition: "x-key:ada" }]);
  await call("DELETE", "/lists/deny", { identity: "x-key:ada" });
  expect((await sent()).status).toBe(200);
});
