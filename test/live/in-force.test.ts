import { expect, test, vi } from "vitest";

import { MAX_DOCUMENT_BYTES } from "../../src/store/control/storage.ts";
import { quota } from "../support/gateway/gateway.ts";
import {
  DEPLOYED,
  limited,
  type LiveGateway,
  logLines,
  quotaOf,
  startLiveGateway,
} from "../support/live/live-gateway.ts";

/** An override of one client's limit. */
const own = (user: string, limit: number) => ({
  identity: `x-user-id:${user}`,
  policies: { api: { limit } },
});
const block = (user: string) => ({ identity: `x-user-id:${user}` });
const statusOf = async ({ ask }: LiveGateway, user: string) =>
  (await ask("/api/x", { "x-user-id": user })).status;

test("a published limit is in force after the next refresh, and keeps the consumed units", async () => {
  const gateway = await startLiveGateway();
  expect(await quotaOf(gateway, "ada")).toBe("5, 4 left");

  await gateway.write(limited(10));
  expect(await quotaOf(gateway, "ada")).toBe("5, 3 left");
  await gateway.administered.refresh();
  expect(await quotaOf(gateway, "ada")).toBe("10, 7 left");
  expect(gateway.administered.enforced()).toMatchObject({ version: 1, source: "live" });

  await gateway.publish(limited(4), 2);
  expect(await quotaOf(gateway, "ada")).toBe("4, 0 left");
  expect(await statusOf(gateway, "ada")).toBe(429);
});

test("an earlier denial does not outlive a raised limit", async () => {
  const gateway = await startLiveGateway();
  for (let i = 0; i < 6; i++) await quotaOf(gateway, "ada");
  expect(await statusOf(gateway, "ada")).toBe(429);

  await gateway.publish(limited(10));
  expect(await quotaOf(gateway, "ada")).toBe("10, 4 left");
});

test.each([
  [{ ADMIN_TOKEN: undefined }, 0],
  [{ LIVE_REFRESH: "off" }, 0],
  [{ ADMIN_TOKEN: undefined, LIVE_REFRESH: "10s" }, 1],
  [{}, 1],
])("with %o, an isolate asks for live rules %i times", async (variables, times) => {
  const gateway = await startLiveGateway(variables);
  const fetched = vi.spyOn(globalThis, "fetch");
  for (let i = 0; i < 3; i++) await quotaOf(gateway, "ada");
  const polls = fetched.mock.calls.filter(([, init]) => String(init?.body).includes("revision"));
  fetched.mockRestore();
  expect(polls).toHaveLength(times);
});

test("an entry blocks or exempts a client, and no isolate forgets whom it denies", async () => {
  const gateway = await startLiveGateway();
  for (let i = 0; i < 6; i++) await quotaOf(gateway, "ada");
  const fetched = vi.spyOn(globalThis, "fetch");

  await gateway.writeEntry("deny:1", block("eve"));
  await gateway.put("allow:1", { cidr: "198.51.100.0/24" });
  fetched.mockClear();
  expect([await statusOf(gateway, "eve"), await statusOf(gateway, "ada")]).toEqual([403, 429]);
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();

  const fields = { "x-user-id": "ada", "cf-connecting-ip": "198.51.100.7" };
  expect((await gateway.ask("/api/x", fields)).status).toBe(200);
});

test("an override with numbers of its own makes no isolate forget whom it denies", async () => {
  const gateway = await startLiveGateway();
  for (let i = 0; i < 6; i++) await quotaOf(gateway, "ada");
  for (const [i, limit] of [50, 60, 50].entries()) {
    await gateway.put("override:1", own("bob", limit));
    expect(await quotaOf(gateway, "bob")).toBe(`${limit}, ${limit - i - 1} left`);
  }
  const fetched = vi.spyOn(globalThis, "fetch");
  expect(await statusOf(gateway, "ada")).toBe(429);
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

test.each([
  ["lists", "everybody", "deny:1", block("mal")],
  ["lists", { allow: 5 }, "deny:1", block("mal")],
  ["overrides", 5, "override:1", { identity: "x-user-id:bob", plan: "gold" }],
])(
  "a document whose %s are %j is refused whole, also beside entries, which are in force",
  async (field, broken, name, entry) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const gateway = await startLiveGateway({ PLANS: { gold: { api: { limit: 9 } } } });
    await gateway.writeEntry("deny:0", block("eve"));
    await gateway.writeEntry(name, entry);
    await gateway.publish({ ...limited(10), plans: { gold: {} }, [field]: broken });
    expect(gateway.administered.enforced()).toMatchObject({
      version: 0,
      error: expect.stringContaining(`the first at ${field}`) as string,
    });
    expect(await quotaOf(gateway, "ada")).toBe("5, 4 left");
    expect(await statusOf(gateway, "eve")).toBe(403);
  },
);

test("a broken entry changes nothing, the others are in force, and the log says it when it begins", async () => {
  const gateway = await startLiveGateway();
  const lines = logLines();
  await gateway.redis.hset(gateway.keys.entries, "deny:0", "{", "other:1", '{"entry":{}}');
  await gateway.writeEntry("deny:1", { cidr: "300.1.1.1" });
  await gateway.writeEntry("override:1", { identity: "x-user-id:ada", plan: "none" });
  await gateway.writeEntry("override:2", { ...block("ada"), policies: { other: { limit: 1 } } });
  await gateway.writeEntry("deny:2", block("eve"));
  await gateway.put("override:3", own("bob", 50));
  expect(await statusOf(gateway, "eve")).toBe(403);
  expect(await quotaOf(gateway, "ada")).toBe("5, 4 left");
  expect(await quotaOf(gateway, "bob")).toBe("50, 49 left");
  const [line, ...others] = lines();
  expect(others).toEqual([]);
  expect(line).toMatch(/live entries are not used/);
  const named = [...line!.matchAll(/"([^"]*)"/g)].map(([, field]) => field);
  expect(named.toSorted()).toEqual(["deny:0", "deny:1", "other:1", "override:1", "override:2"]);

  await gateway.put("deny:4", block("mal"));
  expect(lines()).toHaveLength(1);
  await gateway.redis.hdel(gateway.keys.entries, "deny:0");
  await gateway.put("deny:5", block("mal"));
  await gateway.redis.hset(gateway.keys.entries, "deny:0", "{");
  await gateway.put("deny:6\nforged", { cidr: "x" });
  expect(lines().slice(1)).toEqual([expect.stringMatching(/: "deny:0", "deny:6\\nforged"\.$/)]);
});

test("of thousands of broken entries the log names ten", async () => {
  const gateway = await startLiveGateway();
  const lines = logLines();
  const broken = Array.from({ length: 2_000 }, (_, i) => [`deny:${i}`, "{"] as const);
  await gateway.redis.hset(gateway.keys.entries, Object.fromEntries(broken));
  await gateway.put("deny:x", block("mal"));
  const [line, ...others] = lines();
  expect([others, line!.match(/"deny:/g)!.length]).toEqual([[], 10]);
  expect(line).toMatch(/ and 1990 more\.$/);
});

test("published rules stay in force after Redis has an older copy, or none", async () => {
  const gateway = await startLiveGateway();
  await gateway.write(limited(10));
  await gateway.publish(limited(20), 2);
  expect(await quotaOf(gateway, "ada")).toBe("20, 19 left");

  const document = JSON.stringify(limited(10));
  await gateway.redis.hset(gateway.keys.state, { revision: 1, version: 1, document });
  await gateway.administered.refresh();
  expect(await quotaOf(gateway, "ada")).toBe("20, 18 left");

  await gateway.redis.del(gateway.keys.state);
  await gateway.administered.refresh();
  expect(await quotaOf(gateway, "ada")).toBe("20, 17 left");

  await gateway.publish(limited(30), 2);
  expect(await quotaOf(gateway, "ada")).toBe("30, 26 left");
});

test("an override gives one client, or those of a pattern, other numbers until it ends", async () => {
  const gateway = await startLiveGateway();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await gateway.publish({
    ...limited(5),
    plans: { gold: { api: { limit: 100 } } },
    overrides: [
      { identity: "x-user-id:vip_*", plan: "gold" },
      { identity: "x-user-id:vip_7", policies: { api: { limit: 7 } }, until: soon },
      { identity: "x-user-id:old", plan: "gold", until: "2020-01-01T00:00:00Z" },
    ],
  });
  expect(await quotaOf(gateway, "vip_1")).toBe("100, 99 left");
  expect(await quotaOf(gateway, "vip_7")).toBe("7, 6 left");
  expect(await quotaOf(gateway, "old")).toBe("5, 4 left");
  expect(await quotaOf(gateway, "vip")).toBe("5, 4 left");
});

test("other numbers of a plan are in force after a publication that changes nothing else", async () => {
  const gateway = await startLiveGateway();
  const withGold = (limit: number) => ({
    rules: [{ ...DEPLOYED[0], plan: "header:x-plan", policies: [quota("api", 5)] }],
    plans: { gold: { api: { limit } } },
  });
  const limitOf = async () => {
    const headers = { "x-user-id": "ada", "x-plan": "gold" };
    return (await gateway.ask("/api/x", headers)).headers.get("x-ratelimit-limit");
  };
  await gateway.write(withGold(100));
  expect(await limitOf()).toBe("100");
  await gateway.publish(withGold(50), 2);
  expect(await limitOf()).toBe("50");
});

test("the deployed numbers are in force again after they are published over others", async () => {
  const gateway = await startLiveGateway();
  await gateway.write(limited(10));
  expect(await quotaOf(gateway, "ada")).toBe("10, 9 left");
  await gateway.publish({ rules: DEPLOYED }, 2);
  expect(await quotaOf(gateway, "ada")).toBe("5, 3 left");
  await gateway.publish(limited(10), 3);
  expect(await quotaOf(gateway, "ada")).toBe("10, 7 left");
});

test("of the patterns that name a client the longest one that has not ended decides", async () => {
  const gateway = await startLiveGateway();
  await gateway.write({
    ...limited(5),
    overrides: [
      own("v*", 10),
      own("vip_*", 20),
      { ...own("vip_old_*", 30), until: "2020-01-01T00:00:00Z" },
      { ...own("past_*", 40), until: "2020-01-01T00:00:00Z" },
    ],
  });
  expect(await quotaOf(gateway, "vip_1")).toBe("20, 19 left");
  expect(await quotaOf(gateway, "vip_old_1")).toBe("20, 19 left");
  expect(await quotaOf(gateway, "vera")).toBe("10, 9 left");
  expect(await quotaOf(gateway, "past_1")).toBe("5, 4 left");
});

test("a block that is put while the live rules are being read is in force after the next read", async () => {
  const gateway = await startLiveGateway();
  await gateway.write(limited(5));
  const send = globalThis.fetch;
  let isPut = false;
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    const answer = await send(...asked);
    if (!isPut && String(asked[1]?.body).includes("HGETALL")) {
      isPut = true;
      await gateway.writeEntry("deny:1", block("eve"));
    }
    return answer;
  });
  await gateway.administered.refresh();
  fetched.mockRestore();
  expect(isPut).toBe(true);
  await gateway.administered.refresh();
  expect(await statusOf(gateway, "eve")).toBe(403);
});

test.each(["/api/x", "/_tidegate/quota", "/_tidegate/health", "/_tidegate/api/v1/health"])(
  "a new isolate has read the live rules before it answers %s",
  async (path) => {
    const gateway = await startLiveGateway();
    await gateway.write({ rules: [{ ...DEPLOYED[0], quota: true, policies: [quota("api", 7)] }] });
    const answer = await gateway.ask(path, { "x-user-id": "ada" });
    expect(gateway.administered.enforced().version).toBe(1);
    const told = path.endsWith("quota") ? await answer.json() : { policies: [{ limit: 7 }] };
    expect(told).toMatchObject({ policies: [{ limit: 7 }] });
  },
);

test("explain gives the verdict on the next request, and takes nothing", async () => {
  const gateway = await startLiveGateway();
  await quotaOf(gateway, "ada");
  const request = { path: "/api/x", headers: { "x-user-id": "ada" }, ip: "192.0.2.1" };
  const counted = { partition: "x-user-id:ada" };
  for (let i = 0; i < 3; i++) {
    expect(await gateway.administered.explain(request)).toMatchObject({
      verdict: "allowed",
      status: 200,
      version: 0,
      rules: [
        {
          index: 0,
          path: "/api/*",
          policies: [{ name: "api", ...counted, limit: 5, remaining: 4 }],
        },
      ],
    });
  }
  expect(await quotaOf(gateway, "ada")).toBe("5, 3 left");
  for (let i = 0; i < 3; i++) await quotaOf(gateway, "ada");
  const { verdict, status, retryAfter, rules } = await gateway.administered.explain(request);
  expect([verdict, status]).toEqual(["denied", 429]);
  // In whole seconds.
  expect(retryAfter).toBe(Math.ceil(rules[0]!.policies[0]!.retryAfterMs! / 1000));

  expect(await gateway.administered.reset(request)).toEqual([{ policy: "api", ...counted }]);
  expect(await quotaOf(gateway, "ada")).toBe("5, 4 left");
});

test("explain tells a blocked client, a refused path and an uncovered one apart", async () => {
  const gateway = await startLiveGateway({ CORS: { origin: "*" } });
  await gateway.writeEntry("deny:1", { cidr: "203.0.113.0/24" });
  await gateway.put("allow:1", { identity: "x-user-id:probe" });
  const preflight = { origin: "https://a.example", "access-control-request-method": "GET" };
  const verdictOf = async (request: object) => {
    const { verdict, status } = await gateway.administered.explain({ path: "/api/x", ...request });
    return `${verdict} ${status}`;
  };
  for (const [request, verdict] of [
    [{ ip: "203.0.113.9" }, "blocked 403"],
    [{ headers: { "x-user-id": "probe" } }, "exempt 200"],
    [{ path: "/other" }, "passed 200"],
    [{ method: "OPTIONS", headers: preflight }, "passed 204"],
    [{ path: "/other", ip: "" }, "blocked 403"],
    [{ path: "/api%2fx;a" }, "refused 400"],
    [{ path: "/api/%2e%2e/x" }, "passed 200"],
  ] as const) {
    expect([request, await verdictOf(request)]).toEqual([request, verdict]);
  }
});

test("the largest document that the admin API publishes is in force, and one byte more is not", async () => {
  const gateway = await startLiveGateway();
  const empty = new TextEncoder().encode(JSON.stringify({ $schema: "", ...limited(10) })).length;
  const left = MAX_DOCUMENT_BYTES - empty;
  const largest = { $schema: "é".repeat(left / 2) + "x".repeat(left % 2), ...limited(10) };
  await gateway.publish(largest);
  expect(await quotaOf(gateway, "ada")).toBe("10, 9 left");

  await gateway.publish({ ...largest, $schema: `${largest.$schema}x`, ...limited(20) }, 2);
  expect(await quotaOf(gateway, "ada")).toBe("10, 8 left");
  expect(gateway.administered.enforced().error).toContain("at document: Publish at most 900000");
});

test("resetting a client leaves the shared units", async () => {
  const gateway = await startLiveGateway();
  const policies = [quota("api", 5), { ...quota("everyone", 50), partition: "*" }];
  await gateway.write({ rules: [{ ...DEPLOYED[0], policies }] });
  const rest = async () => {
    const { headers } = await gateway.ask("/api/x", { "x-user-id": "ada" });
    return headers.get("ratelimit")?.match(/(?<=r=)\d+/g);
  };
  expect(await rest()).toEqual(["4", "49"]);
  const request = { path: "/api/x", headers: { "x-user-id": "ada" } };
  expect(await gateway.administered.reset(request)).toEqual([
    { policy: "api", partition: "x-user-id:ada" },
  ]);
  expect(await rest()).toEqual(["4", "48"]);
});

test("of too many patterns by single calls, those that are too many are not used, and all others are", async () => {
  const gateway = await startLiveGateway();
  const entries = Array.from({ length: 1_002 }, (_, i) => [
    `override:${i}`,
    JSON.stringify({ entry: own(`${i}_*`, 50) }),
  ]);
  await gateway.redis.hset(gateway.keys.entries, Object.fromEntries(entries) as object);
  await gateway.put("deny:1", block("eve"));
  expect(await statusOf(gateway, "eve")).toBe(403);
  const { isLeftOut } = gateway.administered;
  const unused = entries.flatMap((_, i) => (isLeftOut("override", `${i}`) ? [i] : []));
  expect(unused).toHaveLength(2);
  const used = [0, 500, 1_001].filter((i) => !unused.includes(i));
  for (const i of used) expect(await quotaOf(gateway, `${i}_ada`)).toBe("50, 49 left");
  for (const i of unused) expect(await quotaOf(gateway, `${i}_ada`)).toBe("5, 4 left");
  const { checkEntry } = gateway.administered;
  expect(checkEntry("override", own("another_*", 50))).toMatchObject([{ path: "entry" }]);
  expect(checkEntry("override", own("another", 50))).toEqual([]);
});

test("a header that identifies no client brings no override", async () => {
  const partition = ["header:x-api-key", "header:x-user-id"];
  const gateway = await startLiveGateway();
  await gateway.publish({
    rules: [{ path: "/api/*", partition, policies: [quota("api", 5)] }],
    overrides: [own("vip", 1_000), { ...own("vip", 50), identity: "x-api-key:k" }],
  });
  const limitOf = async (headers: Record<string, string>) => {
    const { rules, override } = await gateway.administered.explain({ path: "/api/x", headers });
    return [rules[0]!.policies[0]!.limit, override];
  };
  expect(await limitOf({ "x-user-id": "vip" })).toEqual([1_000, "x-user-id:vip"]);
  expect(await limitOf({ "x-user-id": "vip", "x-api-key": "own" })).toEqual([5, undefined]);
  expect(await limitOf({ "x-user-id": "vip", "x-api-key": "k" })).toEqual([50, "x-api-key:k"]);
});

test("held rules count as deployed until some are published", async () => {
  const gateway = await startLiveGateway();
  await quotaOf(gateway, "ada");
  expect(gateway.administered.held()).toMatchObject({ version: 0, source: "deployed" });
  await gateway.publish(limited(7));
  expect(gateway.administered.held()).toMatchObject({ version: 1, source: "live" });
});

test("policies are counted by their behaviour without Redis; those without a setting count locally", async () => {
  const policies = [
    quota("silent", 5),
    { ...quota("open", 5), onFailure: "open" },
    { ...quota("closed", 5), onFailure: "closed" },
    { ...quota("share", 5), onFailure: { local: { share: 0.5 } } },
  ];
  const { administered } = await startLiveGateway({ RULES: [{ ...DEPLOYED[0], policies }] });
  expect(administered.onFailure()).toEqual({ local: 2, open: 1, closed: 1 });
});

test("a broken document that is published again after a sound one is told again, also in the log", async () => {
  const gateway = await startLiveGateway();
  const lines = logLines();
  const errorAfter = async (document: unknown, version: number) => {
    await gateway.publish(document, version);
    return gateway.administered.enforced().error;
  };
  expect(await errorAfter({ rules: [] }, 1)).toContain("version 1");
  expect(await errorAfter(limited(7), 2)).toBeUndefined();
  expect(await errorAfter({ rules: [] }, 1)).toContain("version 1");
  expect(await quotaOf(gateway, "ada")).toBe("7, 6 left");
  expect(lines().filter((line) => line.includes("has faults"))).toHaveLength(2);
});
