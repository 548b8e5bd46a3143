import { type Context, Hono } from "hono";
import { afterEach, describe, expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { RateLimitOptions } from "../../src/hono.ts";
import { failures, header, plans, shadow as inShadow, soft } from "../../src/index.ts";
import { appOf as helloApp, limiterOf } from "./app.ts";

type Given = Omit<Parameters<typeof fixedWindow>[0], "name" | "limit" | "window">;

const quota = (name: string, limit: number, more: Given = {}) =>
  fixedWindow({ name, limit, window: "30d", ...more });

type Asked = Readonly<Record<string, string>>;

/** Asks an app of these options, always from one address unless a request says otherwise. */
function appOf(options: Partial<RateLimitOptions>) {
  const app = new Hono()
    .use(
      limiterOf({
        policies: [quota("hard", 10)],
        partition: ["ip"],
        clientIp: "cloudflare",
        ...options,
      }),
    )
    .all("/*", (c) =>
      c.json({
        over: c.var.rateLimit.policies.filter(({ allowed }) => !allowed).map(({ name }) => name),
        shadow: c.var.rateLimit.shadow.map(({ name, allowed }) => [name, allowed]),
      }),
    );
  return async (headers: Asked = {}) =>
    app.request("/", { headers: { "cf-connecting-ip": "192.0.2.1", ...headers } });
}

/** The remaining units of each policy, by its name, or the status of a response without `RateLimit`. */
async function left(answer: Response | Promise<Response>) {
  const { headers, status } = await answer;
  const items = [...(headers.get("RateLimit") ?? "").matchAll(/"([^"]+)";r=(\d+)/g)];
  if (items.length === 0) return status;
  return Object.fromEntries(items.map(([, name, units]) => [name, Number(units)]));
}

const key = { "x-api-key": "a" };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a policy's own partition", () => {
  test("counts beside the partition of the middleware, which may be a function", async () => {
    const policies = [
      quota("client", 10),
      quota("address", 100, { partition: ["ip"] }),
      quota("everyone", 1_000, { partition: "*" }),
    ];
    for (const partition of [
      [header("x-api-key")] as const,
      (c: Context) => c.req.header("x-api-key"),
    ]) {
      const ask = appOf({ policies, partition });
      expect([
        await left(ask(key)),
        await left(ask({ "x-api-key": "b" })),
        await left(ask({ ...key, "cf-connecting-ip": "192.0.2.2" })),
      ]).toEqual([
        { client: 9, address: 99, everyone: 999 },
        { client: 9, address: 98, everyone: 998 },
        { client: 8, address: 99, everyone: 997 },
      ]);
    }
  });
});

describe("onMissing of a policy", () => {
  const policies = (onMissing: "skip" | "reject" | "share") => [
    quota("address", 10),
    quota("key", 10, { partition: [header("x-api-key")], onMissing }),
  ];

  test("passes a request that no policy counts, because all of them are in shadow", async () => {
    const tried = inShadow(quota("key", 10, { partition: [header("x-api-key")] }));
    for (const more of [{}, { counts: failures() }] as const) {
      const app = appOf({ policies: [{ ...tried, ...more, onMissing: "reject" } as never] });
      expect([(await app()).status, (await app(key)).status]).toEqual([200, 200]);
    }
  });

  test("skips it, refuses the request, or counts it with all others like it", async () => {
    const skip = appOf({ policies: policies("skip"), onMissing: "reject" });
    expect([await left(skip()), await left(skip(key))]).toEqual([
      { address: 9 },
      { address: 8, key: 9 },
    ]);
    const reject = appOf({ policies: policies("reject") });
    expect([await left(reject()), await left(reject(key))]).toEqual([400, { address: 9, key: 9 }]);
    const share = appOf({ policies: policies("share"), onMissing: "reject" });
    const elsewhere = { "cf-connecting-ip": "192.0.2.2" };
    expect([await left(share()), await left(share(key)), await left(share(elsewhere))]).toEqual([
      { address: 9, key: 9 },
      { address: 8, key: 9 },
      { address: 9, key: 8 },
    ]);
  });

  test("is warned of once where the meaning is not stated", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const { onMissing: _onMissing, ...bare } = policies("share")[1]!;
    const ask = appOf({ policies: [quota("address", 10), bare], onMissing: undefined as never });
    await ask();
    await ask();
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^tidegate: a request has none of header:x-api-key: all requests/)],
    ]);
  });
});

describe("plans", () => {
  const policies = [
    tokenBucket({ name: "rides", limit: 10, refill: 10, per: "30d" }),
    quota("all", 50),
  ];
  const numbers = { gold: { rides: { limit: 100, refill: 100 } } };

  test.each<[string, NonNullable<RateLimitOptions["plan"]>]>([
    ["a header", "header:X-Plan"],
    ["a function", (c) => c.req.header("x-plan")],
    ["a function that takes its time", async (c) => c.req.header("x-plan")],
    ["a function of untyped code", ((c: Context) => c.req.header("x-plan") ?? null) as never],
  ])("are named by %s; one that does not exist is none", async (_by, plan) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const ask = appOf({ policies, plans: plans(numbers), plan });
    const limitOf = async (headers: Asked) => {
      const answer = await ask(headers);
      return /"rides";q=(\d+)/.exec(answer.headers.get("RateLimit-Policy")!)?.[1];
    };
    expect([
      await limitOf({ "x-plan": "gold" }),
      await limitOf({}),
      await limitOf({ "x-plan": "platinum" }),
      await limitOf({ "x-plan": "constructor" }),
      await limitOf({ "x-plan": "gold" }),
    ]).toEqual(["100", "10", "10", "10", "100"]);
    // Reported once for all middleware of this test file.
    expect(warn.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

describe("a mode", () => {
  test("soft never denies, and the handler learns of it", async () => {
    const ask = appOf({ policies: [soft(quota("fair", 1)), quota("hard", 2)] });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(await answers[0]!.json()).toEqual({ over: [], shadow: [] });
    expect(await answers[1]!.json()).toEqual({ over: ["fair"], shadow: [] });
    expect(await left(answers[1]!)).toEqual({ fair: 0, hard: 0 });
  });
});

describe("costs by the names of policies", () => {
  const policies = [quota("requests", 10), quota("tokens", 1_000)];

  test.each<[string, NonNullable<RateLimitOptions["cost"]>]>([
    ["as they are", { tokens: 400 }],
    ["of a function", () => ({ tokens: 400 })],
    ["of a function that takes its time", async () => ({ tokens: 400 })],
  ])("are taken from each, and 1 from who has none: %s", async (_what, cost) => {
    const ask = appOf({ policies, cost });
    expect([await left(ask()), await left(ask())]).toEqual([
      { requests: 9, tokens: 600 },
      { requests: 8, tokens: 200 },
    ]);
    expect((await ask()).status).toBe(429);
  });

  test("of a policy that does not exist are an error of the request", async () => {
    const app = helloApp({ policies, cost: () => ({ x: 1 }) });
    app.onError((error, c) => c.text(error.message, 500));
    expect(await (await app.request("/")).text()).toBe(
      "The cost must name policies of the limiter, not x.",
    );
  });
});
