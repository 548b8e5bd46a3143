import { expect, inject, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";
import { samplesWith } from "../support/metrics/samples-with.ts";

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
  readonly partition: string | null;
  readonly number: string | null;
  readonly isSampled: boolean | null;
  readonly denied: readonly number[];
  readonly near: readonly number[];
  readonly requests: Readonly<Record<string, readonly number[]>> | null;
}

interface History {
  readonly times: readonly string[];
  readonly minutes: readonly string[];
  readonly partitions: readonly Row[];
}

const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);

/** A row with its counts added up. */
function summed({ policy, partition, isSampled, denied, near, requests }: Row): object {
  return {
    policy,
    partition,
    isSampled,
    denied: sum(denied),
    near: sum(near),
    requests:
      requests &&
      Object.fromEntries(Object.entries(requests).map(([kind, counts]) => [kind, sum(counts)])),
  };
}

async function start(variables: object = {}) {
  const gateways = await meteredGateways(RULES, variables);
  const isolate = gateways.open();
  const isSampled = samplesWith(`${gateways.prefix}\n${inject("redisRestToken")}`);

  /** The identity of a key that is in the sample, or is not. */
  async function keyThat(isIn: boolean): Promise<{ key: string; identity: string }> {
    for (let i = 0; ; i++) {
      const request = { path: "/login", headers: { "x-key": `key-${i}` } };
      const [found] = await isolate.administered.counted(request);
      if (isSampled(found!.identity) === isIn)
        return { key: `key-${i}`, identity: found!.identity };
    }
  }

  return {
    ...gateways,
    ...isolate,
    keyThat,
    addressThat: (isIn: boolean) =>
      Array.from({ length: 1_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).find(
        (address) => isSampled(`ip:${address}`) === isIn,
      )!,
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

test("a described client has its denials by policy, and its requests by the minute if it is in the sample", async () => {
  const { ask, history, keyThat, addressThat, open } = await start();
  const { key } = await keyThat(true);
  const ip = addressThat(false);
  for (let i = 0; i < 7; i++) await ask("/api/x", key, ip);
  for (let i = 0; i < 3; i++) await ask("/login", key, ip);
  for (let i = 0; i < 30; i++) await ask("/api/x", `other-${i % 6}`, addressThat(false));
  const other = open();
  await other.ask("/api/x", ip, { headers: { "x-key": key } });
  await other.flush();
  const { status, body } = await history({
    request: { path: "/api/y", headers: { "x-key": key }, ip },
  });
  expect(status).toBe(200);
  expect([body.times.length, body.minutes.length]).toEqual([7, 60]);
  expect(body.times.at(-1)).toMatch(/^\d{4}-.*T\d\d:\d0:00\.000Z$/);
  expect(body.partitions.map(summed)).toEqual([
    {
      policy: "api",
      partition: expect.stringMatching(/^x-key:[\w-]{43}$/),
      isSampled: true,
      denied: 3,
      near: 2,
      requests: { allowed: 5, denied: 3, deniedByOthers: 0 },
    },
    {
      policy: "address",
      partition: expect.stringMatching(/^ip:[\w-]{22}$/),
      isSampled: false,
      denied: expect.any(Number),
      near: expect.any(Number),
      requests: null,
    },
  ]);
});

test("a name of /top is enough, for every policy that counts it", async () => {
  const { ask, history, keyThat } = await start();
  const { key, identity } = await keyThat(true);
  for (let i = 0; i < 6; i++) await ask("/api/x", key);
  for (let i = 0; i < 4; i++) await ask("/login", key);
  const { body } = await history({ name: identity });
  const rows = body.partitions.map(summed) as { policy: string }[];
  expect(rows.toSorted((a, b) => a.policy.localeCompare(b.policy))).toEqual([
    {
      policy: "api",
      partition: identity,
      isSampled: true,
      denied: 1,
      near: 2,
      requests: { allowed: 5, denied: 1, deniedByOthers: 0 },
    },
    {
      policy: "login",
      partition: identity,
      isSampled: true,
      denied: 2,
      near: 1,
      requests: { allowed: 2, denied: 2, deniedByOthers: 0 },
    },
  ]);
  const [{ number }] = body.partitions as [Row];
  const byNumber = await history({ number });
  expect(
    byNumber.body.partitions.map(({ policy, partition, number }) => [policy, partition, number]),
  ).toEqual(
    expect.arrayContaining([
      ["api", null, number],
      ["login", null, number],
    ]),
  );
});

test("of a digest of an address it is not known whether it is in the sample", async () => {
  const { ask, history, addressThat } = await start();
  const ip = addressThat(true);
  for (let i = 0; i < 3; i++) await ask("/login", undefined, ip);
  const described = await history({ request: { path: "/login", ip } });
  const [{ partition }] = described.body.partitions as [Row];
  expect(described.body.partitions.map(summed)).toMatchObject([{ isSampled: true, denied: 1 }]);
  const named = await history({ name: partition });
  expect(named.body.partitions.map(summed)).toEqual([
    { policy: "login", partition, isSampled: null, denied: 1, near: 1, requests: null },
  ]);
});

test("a client without denials has zeros, and an unknown name has no history", async () => {
  const { history, keyThat } = await start();
  const { key } = await keyThat(false);
  const { body } = await history({ request: { path: "/login", headers: { "x-key": key } } });
  expect(body.partitions.map(summed)).toMatchObject([{ isSampled: false, denied: 0, near: 0 }]);
  expect((await history({ name: "x-key:nobody" })).body.partitions).toEqual([]);
  expect((await history({ request: { path: "/elsewhere" } })).body.partitions).toEqual([]);
});

test("a span is at most a day, and its minutes end with the one before its end", async () => {
  const { history } = await start();
  const nowMs = Date.now();
  const of = (hours: number) => `?from=${nowMs - hours * 3_600_000}&to=${nowMs}`;
  const { body } = await history({ name: "x-key:nobody" }, of(24));
  expect([144, 145]).toContain(body.times.length);
  expect((await history({ name: "x-key:nobody" }, of(25))).status).toBe(400);
  const to = Math.floor(nowMs / 60_000) * 60_000;
  const { minutes } = (await history({ name: "ip:192.0.2.1" }, `?to=${to}`)).body;
  expect([minutes.length, minutes.at(-1)]).toEqual([60, new Date(to - 60_000).toISOString()]);
});

test.each([
  [{}, "body"],
  [{ name: "a", number: "b" }, "body"],
  [{ name: "" }, "name"],
  [{ name: "x-key:a b" }, "name"],
  [{ number: "A/B" }, "number"],
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
