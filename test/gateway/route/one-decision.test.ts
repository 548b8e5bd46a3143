import { Redis } from "ioredis";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from "vitest";

import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { type Ask, gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";

/*
 * Three rules over an address, a key and all clients, which all cover one request, on a real Redis behind a real bridge.
 */

let proxy: FaultProxy;
let prefix: string;

beforeAll(async () => {
  proxy = await startFaultProxy(inject("redisRestUrl"));
});
afterAll(async () => {
  await proxy.stop();
});
beforeEach(() => {
  prefix = crypto.randomUUID();
});

const NAMES = ["address", "key", "everyone"] as const;
type Limits = Readonly<Record<(typeof NAMES)[number], number>>;

/** Another isolate, which knows nothing yet. */
async function isolate(limits: Limits): Promise<Ask> {
  const rules = [
    { path: "/*", policies: [quota("address", limits.address)] },
    { path: "/api/*", partition: ["header:x-api-key"], policies: [quota("key", limits.key)] },
    { path: "/api/all", partition: "*", policies: [quota("everyone", limits.everyone)] },
  ];
  return gatewayTo((await startOrigin()).url, rules, {
    STORE: "redis",
    UPSTASH_REDIS_REST_URL: proxy.url,
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    PREFIX: prefix,
    TIMEOUT: "10s",
  });
}

const as = (key: string, address = "192.0.2.1") => ({
  headers: { "x-api-key": key, "cf-connecting-ip": address },
});

/** The commands that one step sends. */
async function commandsOf(step: () => Promise<unknown>): Promise<string[][]> {
  const before = proxy.received.length;
  await step();
  return proxy.received.slice(before).map(({ body }) => JSON.parse(body) as string[]);
}

const remaining = (response: Response) =>
  Object.fromEntries(
    [...(response.headers.get("RateLimit") ?? "").matchAll(/"([^"]+)";r=(\d+)/g)].map(
      ([, name, left]) => [name, Number(left)],
    ),
  );

const FIELDS = (limits: Limits) =>
  NAMES.map((name) => `"${name}";q=${limits[name]};w=2592000`).join(", ");

test("all rules that cover a request are one call of Redis, and one set of fields", async () => {
  const limits = { address: 10, key: 5, everyone: 1_000 };
  const ask = await isolate(limits);
  // The script is there from now on.
  await ask("/api/all", as("first", "192.0.2.99"));
  let answer = new Response();
  const commands = await commandsOf(async () => {
    answer = await ask("/api/all", as("a"));
  });
  expect(commands.map(([command, _sha, count]) => [command!.toLowerCase(), Number(count)])).toEqual(
    [["evalsha", 3]],
  );
  expect(commands[0]!.slice(3, 6)).toEqual([
    `${prefix}:{ip:192.0.2.1}:address:f3:30d`,
    expect.stringMatching(new RegExp(`^${prefix}:\\{x-api-key:[\\w-]{43}\\}:key:f3:30d$`)),
    `${prefix}:{*}:everyone:f3:30d`,
  ]);
  expect(answer.headers.get("RateLimit-Policy")).toBe(FIELDS(limits));
  expect(remaining(answer)).toEqual({ address: 9, key: 4, everyone: 998 });
  const names = ["limit", "remaining"].map((name) => answer.headers.get(`x-ratelimit-${name}`));
  // The key is nearest its limit.
  expect(names).toEqual(["5", "4"]);
});

test("a request that fewer rules cover is counted by those alone", async () => {
  const ask = await isolate({ address: 10, key: 5, everyone: 1_000 });
  const keysOf = async (path: string) =>
    (await commandsOf(() => ask(path, as("a")))).map((command) => Number(command[2]));
  // The scripts are there from now on.
  for (const path of ["/", "/api", "/api/all"]) await ask(path, as("a"));
  expect([await keysOf("/"), await keysOf("/api"), await keysOf("/api/all")]).toEqual([
    [1],
    [2],
    [3],
  ]);
});

describe.each(NAMES)("a denial by the rule over %s", (denying) => {
  const limits = { address: 10, key: 10, everyone: 10, [denying]: 1 };

  test("takes nothing of the others", async () => {
    await (
      await isolate(limits)
    )("/api/all", as("a"));
    for (let denials = 0; denials < 3; denials++) {
      const denied = await (await isolate(limits))("/api/all", as("a"));
      expect(denied.status).toBe(429);
      // Redis said so, and said what the others have.
      expect(denied.headers.get("X-RateLimit-Reason")).toBe("limited");
      expect(denied.headers.get("RateLimit-Policy")).toBe(FIELDS(limits));
      expect(remaining(denied)).toEqual({ address: 9, key: 9, everyone: 9, [denying]: 0 });
      expect(denied.headers.get("X-RateLimit-Limit")).toBe("1");
      expect(await denied.json()).toMatchObject({ "violated-policies": [denying] });
    }
  });

  test("is known without Redis for the denied client, and for no other", async () => {
    const ask = await isolate(limits);
    await ask("/api/all", as("a"));
    const of = async (key: string, address: string) => {
      let status = 0;
      const commands = await commandsOf(async () => {
        ({ status } = await ask("/api/all", as(key, address)));
      });
      return [status, commands.length];
    };
    expect({
      sameKey: await of("a", "192.0.2.2"),
      sameAddress: await of("b", "192.0.2.1"),
      another: await of("c", "192.0.2.3"),
    }).toEqual({
      sameKey: denying === "address" ? [200, 1] : [429, 0],
      sameAddress: denying === "key" ? [200, 1] : [429, 0],
      another: denying === "everyone" ? [429, 0] : [200, 1],
    });
  });
});

test("everybody's key has the raw star, which no client's key has", async () => {
  const ask = await isolate({ address: 10, key: 10, everyone: 10 });
  await ask("/api/all", as("*"));
  const redis = new Redis(inject("redisUrl"));
  onTestFinished(() => void redis.disconnect());
  const keys = await redis.keys(`${prefix}:*`);
  expect(keys.filter((key) => key.includes("{*}"))).toEqual([`${prefix}:{*}:everyone:f3:30d`]);
  expect(keys).toHaveLength(3);
});
