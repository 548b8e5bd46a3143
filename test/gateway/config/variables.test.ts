import { afterEach, describe, expect, test, vi } from "vitest";

import { useFetched } from "../fetched.ts";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../../src/gateway/proxy/node/forward.ts",
  () => import("../../../src/gateway/proxy/forward.ts"),
);

const { origin, redis, gateway } = useFetched();

afterEach(() => void vi.restoreAllMocks());

const policy = { algorithm: "fixed-window", name: "p", limit: 10, window: "1d" };
const from = { headers: { "cf-connecting-ip": "192.0.2.1" } };

describe("a variable of the gateway", () => {
  test.each([
    [{}, 1_000, 250],
    [{ TIMEOUT: "80ms" }, 320, 80],
    [{ TIMEOUT: "1m" }, 60_000, 60_000],
  ])(
    "%j gives the first command of Redis %d ms, and later ones %d ms",
    async (variables, ...given) => {
      const timeout = vi.spyOn(AbortSignal, "timeout");
      const ask = gateway(variables);
      for (let request = 0; request < 2; request++) await ask("/limited/x", from);
      expect(timeout.mock.calls).toEqual(given.map((ms) => [ms]));
    },
  );

  test.each([
    [{}, "tg:{ip:192.0.2.1}:"],
    [{ PREFIX: "shop" }, "shop:{ip:192.0.2.1}:"],
    [{ PREFIX: "shop", CLIENT_IP: '{"trustedHops":1}' }, "shop:{no-identity}:"],
  ])("%j makes keys that begin with %s", async (variables, begin) => {
    await gateway(variables)("/limited/x", from);
    expect(redis.mock.calls[0]![1][3]!.slice(0, begin.length)).toBe(begin);
  });

  test.each([
    [{}, undefined, undefined, 200],
    [{ ON_FAILURE: "closed" }, undefined, undefined, 503],
    [{ ON_FAILURE: "closed" }, "open", undefined, 200],
    [{ ON_FAILURE: "open" }, "closed", undefined, 503],
    [{ ON_FAILURE: "open" }, "open", "closed", 503],
    [{ ON_FAILURE: "closed" }, "closed", "open", 200],
    [{ ON_FAILURE: "closed" }, { local: { share: 0.1 } }, undefined, 200],
    [{ ON_FAILURE: "open" }, { local: { share: 0.1 } }, "closed", 503],
  ])(
    "%j, the rule's onFailure %s and the policy's %s: without Redis %d",
    async (variables, ofRule, ofPolicy, status) => {
      vi.spyOn(console, "warn").mockReturnValue();
      redis.mockRejectedValue(new TypeError("fetch failed"));
      const rule = {
        path: "/limited/*",
        policies: [{ ...policy, ...(ofPolicy && { onFailure: ofPolicy }) }],
        ...(ofRule && { onFailure: ofRule }),
      };
      expect((await gateway({ ...variables, RULES: [rule] })("/limited/x", from)).status).toBe(
        status,
      );
      expect(origin).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
    },
  );

  test.each([
    ["ON_FAILURE as a table", { ON_FAILURE: { local: { share: 0.2 } } }, {}],
    ["ON_FAILURE as JSON", { ON_FAILURE: '{"local":{"share":0.2}}' }, {}],
    ["the rule", {}, { onFailure: { local: { share: 0.2 } } }],
  ])("%s: a share of the limit while Redis is away", async (_where, variables, changes) => {
    vi.spyOn(console, "warn").mockReturnValue();
    redis.mockRejectedValue(new TypeError("fetch failed"));
    const rule = { path: "/limited/*", policies: [policy], ...changes };
    const ask = gateway({ ...variables, RULES: [rule] });
    const seen = [];
    for (let request = 0; request < 3; request++) {
      const { status, headers } = await ask("/limited/x", from);
      seen.push([status, headers.get("RateLimit-Policy"), headers.get("X-RateLimit-Remaining")]);
    }
    const told = '"p";q=10;w=86400';
    expect(seen).toEqual([
      [200, told, "1"],
      [200, told, "0"],
      [429, told, "0"],
    ]);
  });

  test("does not say how waits are spread: the rule does, or its policy", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const full = { ...policy, limit: 1 };
    const waits = [];
    for (const [ofRule, ofPolicy] of [[], [1], [1, 0], [undefined, 1]] as const) {
      const rule = {
        path: "/limited/*",
        policies: [{ ...full, ...(ofPolicy !== undefined && { retryJitter: ofPolicy }) }],
        ...(ofRule !== undefined && { retryJitter: ofRule }),
      };
      redis.mockResolvedValue(Response.json({ result: [0, 0, 0, 1_000e6, 1_000e6] }));
      const answer = await gateway({ RULES: [rule] })("/limited/x", from);
      waits.push(Number(answer.headers.get("Retry-After")));
    }
    expect(waits).toEqual([1_000, 1_500, 1_000, 1_500]);
  });

  test.each([
    ["https://redis.example", "https://kv.example", "https://redis.example"],
    [undefined, "https://kv.example", "https://kv.example"],
    ["", "https://kv.example", "https://kv.example"],
    ["https://redis.example", "", "https://redis.example"],
  ])("names the Redis: UPSTASH %j, KV %j asks %s", async (upstash, kv, asked) => {
    const named = {
      UPSTASH_REDIS_REST_URL: upstash,
      KV_REST_API_URL: kv,
      KV_REST_API_TOKEN: "secret",
    };
    await gateway(named)("/limited/x", from);
    expect(redis.mock.calls[0]![0]).toBe(asked);
  });
});

describe("a request that one of its rules refuses", () => {
  test("takes nothing of the others, and is told of no quota", async () => {
    const ask = gateway({
      STORE: "memory",
      RULES: [
        { path: "/*", policies: [{ ...policy, name: "all" }] },
        {
          path: "/limited/*",
          policies: [policy],
          partition: ["header:x-api-key"],
          onMissing: "reject",
        },
      ],
    });
    const refused = await ask("/limited/x", from);
    expect([refused.status, refused.headers.get("RateLimit-Policy")]).toEqual([400, null]);
    expect((await ask("/other", from)).headers.get("RateLimit")).toMatch(/^"all";r=9;/);
  });
});
