import { expect, inject, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";
import { samplesWith } from "../support/metrics/samples-with.ts";
import { sampledClients } from "./traced.ts";

const RULES = [
  { path: "/api/*", policies: [quota("api", 5)] },
  {
    path: "/big",
    cost: 3,
    policies: [quota("big", 9), quota("wide", 13), { ...quota("shy", 4), mode: "shadow" }],
  },
  { path: "/pay", policies: [quota("pay", 5), { ...quota("strikes", 3), counts: "denials" }] },
  {
    path: "/monthly",
    policies: [{ ...quota("monthly", 5), window: "month", timeZone: "Asia/Tokyo", anchor: 15 }],
  },
  { path: "/sharded", policies: [{ ...quota("sharded", 80), shards: 4 }] },
];

/** A gateway, addresses that its sample has, and its admin API. */
async function start(variables: object = {}) {
  const gateways = await meteredGateways(RULES, variables);
  const isolate = gateways.open();
  const secret = `${gateways.prefix}\n${inject("redisRestToken")}`;
  const addresses = sampledClients(
    secret,
    12,
    (i) => `ip:10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
  );
  return {
    ...gateways,
    ...isolate,
    secret,
    clients: addresses.map((identity) => identity.slice("ip:".length)),
    async ask(path: string, ip: string, headers: Record<string, string> = {}) {
      return (await isolate.ask(path, ip, { headers })).status;
    },
    async whatIf(body: unknown) {
      const response = await isolate.api("/what-if", body);
      return { status: response.status, body: (await response.json()) as object };
    },
  };
}

test("the traffic of several isolates is replayed with another limit, known denials included", async () => {
  const { ask, clients, open, secret, whatIf } = await start();
  const other = open();
  for (const client of clients) {
    for (let i = 0; i < 6; i++) await ask("/api/x", client);
    for (let i = 0; i < 2; i++) await other.ask("/api/x", client);
  }
  const isSampled = samplesWith(secret);
  const unseen = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"].find(
    (address) => !isSampled(`ip:${address}`),
  )!;
  for (let i = 0; i < 5; i++) await ask("/api/x", unseen);
  await other.flush();
  const { status, body } = await whatIf({ policy: "api", numbers: { limit: 2 }, minutes: 5 });
  expect(status).toBe(200);
  const { from, to } = body as { from: string; to: string };
  // The minute that is under way is the last one of the five.
  expect(Math.floor(Date.parse(to) / 60_000) - Date.parse(from) / 60_000).toBe(4);
  expect(body).toMatchObject({
    policy: "api",
    numbers: { limit: 2 },
    oneIn: 64,
    partitions: 12,
    otherNumbers: 0,
    tooFew: false,
    agreement: 1,
    requests: 12 * 8 + 5,
    deniedBefore: 12 * 3,
    deniedAfter: { sampled: 12 * 3, estimate: 12 * 8 + 5 },
    partitionsAffected: { sampled: 12, estimate: 12 * 64 },
  });
  const { affected } = body as { affected: { partition: unknown; number: string }[] };
  expect(affected).toHaveLength(12);
  expect(affected[0]).toEqual({
    partition: null,
    number: expect.stringMatching(/^[0-9a-z]{8,11}$/),
    requests: 8,
    deniedBefore: 3,
    deniedAfter: 6,
  });
});

test("requests of a policy in shards are replayed under the numbers of the whole policy", async () => {
  const { ask, clients, whatIf } = await start();
  for (const client of clients) for (let i = 0; i < 8; i++) await ask("/sharded", client);
  const { body } = await whatIf({ policy: "sharded", numbers: { limit: 5 } });
  expect(body).toMatchObject({
    partitions: 12,
    otherNumbers: 0,
    agreement: 1,
    deniedBefore: 0,
    deniedAfter: { sampled: 12 * 3 },
  });
});

test("a month is replayed as one, also with another anchor, in another zone, and as a day", async () => {
  const { ask, clients, whatIf } = await start();
  for (const client of clients) for (let i = 0; i < 6; i++) await ask("/monthly", client);
  const common = { partitions: 12, agreement: 1, requests: 72, deniedBefore: 12 };
  for (const [numbers, more] of [
    [{ limit: 2 }, 3 * 12],
    [{ limit: 1_000_000 }, -12],
    [{ anchor: 31 }, 0],
    [{ anchor: "2026-03-15T10:30:00Z", timeZone: "America/New_York" }, 0],
    [{ window: "week", anchor: 7, limit: 4 }, 12],
  ] as const) {
    const { status, body } = await whatIf({ policy: "monthly", numbers });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...common, deniedAfter: { sampled: more } },
    });
  }
});

test("partitions that would be affected are called by their names where those are known", async () => {
  const { ask, clients: all, whatIf } = await start({ METRICS_IDENTITIES: "plain" });
  const clients = all.slice(2);
  for (const client of clients) for (let i = 0; i < 6; i++) await ask("/api/x", client);
  // These clients would see no change.
  for (const client of all.slice(0, 2)) await ask("/api/x", client);
  const { body } = await whatIf({ policy: "api", numbers: { limit: 2 } });
  const { affected } = body as { affected: { partition: string }[] };
  const names = affected.map(({ partition }) => partition);
  expect(names.toSorted()).toEqual(clients.map((client) => `ip:${client}`).toSorted());
});

test("costs, denials by other policies and policies in shadow are replayed as they were", async () => {
  const { ask, clients, whatIf } = await start();
  for (const client of clients) for (let i = 0; i < 5; i++) await ask("/big", client);
  const big = await whatIf({ policy: "big", numbers: { limit: 6 } });
  expect(big.body).toMatchObject({ agreement: 1, deniedAfter: { sampled: 12 } });
  // It has room for a fourth request, which takes nothing because the other denies it, and so for a fifth.
  const wide = await whatIf({ policy: "wide", numbers: { limit: 8 } });
  expect(wide.body).toMatchObject({ agreement: 1, deniedBefore: 0, deniedAfter: { sampled: 36 } });
  const shy = await whatIf({ policy: "shy", numbers: { limit: 6 } });
  // One of three units passes under a limit of 4, and two would under 6.
  expect(shy.body).toMatchObject({ agreement: 1, deniedAfter: { sampled: -12 } });
});

test("clients with the numbers of a plan are left out", async () => {
  const { ask, clients, whatIf } = await start({
    RULES: [{ ...RULES[0], plan: "header:x-plan" }],
    PLANS: { gold: { api: { limit: 50 } } },
  });
  for (const [i, client] of clients.entries()) {
    const headers = i < 10 ? {} : { "x-plan": "gold" };
    for (let asked = 0; asked < 3; asked++) await ask("/api/x", client, headers);
  }
  const { body } = await whatIf({ policy: "api", numbers: { limit: 2 } });
  expect(body).toMatchObject({
    partitions: 10,
    otherNumbers: 2,
    agreement: 1,
    requests: 36,
    partitionsAffected: { sampled: 10 },
  });
});

test.each([
  [{ policy: "apis", numbers: { limit: 5 } }, 404, undefined],
  [{ policy: "api", numbers: { limit: 0 } }, 422, "numbers.limit"],
  [{ policy: "api", numbers: { limits: 5 } }, 422, "numbers.limits"],
  [{ policy: "api", numbers: { window: "soon" } }, 422, "numbers.window"],
  [{ policy: "api", numbers: 5 }, 422, "numbers"],
  [{ policy: "api", numbers: { partition: ["*"] } }, 422, "numbers.partition"],
  [{ policy: "api", numbers: { cost: {} } }, 422, "numbers.cost"],
  [{ policy: "api", numbers: { limit: 5 }, minutes: 61 }, 422, "minutes"],
  [{ policy: "monthly", numbers: { window: "30d" } }, 422, "numbers.window"],
  [{ policy: "monthly", numbers: { anchor: 32 } }, 422, "numbers.anchor"],
  [{ policy: "monthly", numbers: { window: "week", anchor: 8 } }, 422, "numbers.anchor"],
  [{ policy: "monthly", numbers: { timeZone: "Europe/Atlantis" } }, 422, "numbers.timeZone"],
  [{ policy: "api", numbers: { window: "month" } }, 422, "numbers.window"],
  [{ policy: "strikes", numbers: { limit: 5 } }, 422, "policy"],
  [{ numbers: { limit: 5 } }, 422, "policy"],
])("%o is answered with %i, at %s", async (asked, status, path) => {
  const { whatIf } = await start();
  const answer = await whatIf(asked);
  expect(answer.status).toBe(status);
  if (path !== undefined) {
    expect(answer.body).toMatchObject({
      errors: [{ path, code: expect.any(String), remedy: expect.stringMatching(/\w{4}/) }],
    });
  }
});
