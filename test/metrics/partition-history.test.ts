import { expect, test } from "vitest";

import { hash } from "../../src/partition/key-text.ts";
import { quota } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";

const RULES = [
  {
    path: "/api/*",
    partition: ["header:x-key", "ip"],
    policies: [quota("api", 5), { ...quota("address", 20), partition: ["ip"] }],
  },
  { path: "/login", partition: ["header:x-key", "ip"], policies: [quota("login", 2)] },
];

interface Row {
  readonly policy: string;
  readonly partition: string;
  readonly denied: readonly number[];
  readonly near: readonly number[];
}

interface History {
  readonly times: readonly string[];
  readonly partitions: readonly Row[];
}

const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);

/** A row with its counts added up. */
function summed({ denied, near, ...names }: Row): object {
  return { ...names, denied: sum(denied), near: sum(near) };
}

async function start(variables: object = {}) {
  const gateways = await meteredGateways(RULES, variables);
  const isolate = gateways.open();
  return {
    ...gateways,
    ...isolate,
    async ask(path: string, key?: string, ip?: string) {
      const headers: HeadersInit = key === undefined ? {} : { "x-key": key };
      return (await isolate.ask(path, ip, { headers })).status;
    },
    async history(body: unknown, query = "") {
      const response = await isolate.api(`/partitions/history${query}`, body);
      return { status: response.status, body: (await response.json()) as History };
    },
  };
}

test("a described client has its denials of every isolate, under each policy that counts it", async () => {
  const { ask, history, open } = await start();
  const ip = "192.0.2.1";
  for (let i = 0; i < 7; i++) await ask("/api/x", "own", ip);
  for (let i = 0; i < 3; i++) await ask("/login", "own", ip);
  for (let i = 0; i < 30; i++) await ask("/api/x", `other-${i % 6}`, "192.0.2.2");
  const other = open();
  await other.ask("/api/x", ip, { headers: { "x-key": "own" } });
  await other.flush();
  const { status, body } = await history({
    request: { path: "/api/y", headers: { "x-key": "own" }, ip },
  });
  expect(status).toBe(200);
  expect(body.times).toHaveLength(7);
  expect(body.times.at(-1)).toMatch(/^\d{4}-.*T\d\d:\d0:00\.000Z$/);
  expect(body.partitions.map(summed)).toEqual([
    { policy: "api", partition: `x-key:${await hash("own")}`, denied: 3, near: 2 },
    {
      policy: "address",
      partition: expect.stringMatching(/^ip:[\w-]{22}$/),
      denied: 0,
      near: 0,
    },
  ]);
});

test("a name of /top is enough, for every policy that counts it", async () => {
  const { ask, history } = await start();
  for (let i = 0; i < 6; i++) await ask("/api/x", "own");
  for (let i = 0; i < 4; i++) await ask("/login", "own");
  const partition = `x-key:${await hash("own")}`;
  const { body } = await history({ name: partition });
  const rows = body.partitions.map(summed) as { policy: string }[];
  expect(rows.toSorted((a, b) => a.policy.localeCompare(b.policy))).toEqual([
    { policy: "api", partition, denied: 1, near: 2 },
    { policy: "login", partition, denied: 2, near: 1 },
  ]);
});

test("the digest of an address names the same history as the address", async () => {
  const { ask, history } = await start();
  const ip = "192.0.2.1";
  for (let i = 0; i < 3; i++) await ask("/login", undefined, ip);
  const described = (await history({ request: { path: "/login", ip } })).body.partitions;
  const [{ partition }] = described as [Row];
  expect(described.map(summed)).toEqual([{ policy: "login", partition, denied: 1, near: 1 }]);
  expect((await history({ name: partition })).body.partitions).toEqual(described);
});

test("a client without denials has zeros, and an unknown name has no history", async () => {
  const { history } = await start();
  const { body } = await history({ request: { path: "/login", headers: { "x-key": "idle" } } });
  expect(body.partitions.map(summed)).toMatchObject([{ policy: "login", denied: 0, near: 0 }]);
  expect((await history({ name: "x-key:nobody" })).body.partitions).toEqual([]);
  expect((await history({ request: { path: "/elsewhere" } })).body.partitions).toEqual([]);
});

test("a span is at most a day", async () => {
  const { history } = await start();
  const nowMs = Date.now();
  const of = (hours: number) => `?from=${nowMs - hours * 3_600_000}&to=${nowMs}`;
  const { body } = await history({ name: "x-key:nobody" }, of(24));
  expect([144, 145]).toContain(body.times.length);
  expect((await history({ name: "x-key:nobody" }, of(25))).status).toBe(400);
});

test.each([
  [{}, "body"],
  [{ name: "a", request: { path: "/" } }, "body"],
  [{ name: "" }, "name"],
  [{ name: "x-key:a b" }, "name"],
  [{ number: "1z" }, "number"],
  [{ request: { path: "no" } }, "request.path"],
  [{ request: { path: "/", whose: "a" } }, "whose"],
  [{ request: { path: "/", headers: { a: "\n" } } }, "request.headers.a"],
  [{ name: "a", whose: "a" }, "whose"],
])("%o is answered with 422, at %s", async (asked, path) => {
  const { history } = await start();
  const { status, body } = await history(asked);
  expect(status).toBe(422);
  expect(body).toMatchObject({
    errors: [{ path, code: expect.any(String), remedy: expect.stringMatching(/\w{4}/) }],
  });
});
