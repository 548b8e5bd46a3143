import { describe, expect, test } from "vitest";

import { type Ask, gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";

/** The remaining units of each policy, by its name, or the status of a response without `RateLimit`. */
async function left(ask: Ask, path: string, headers: Record<string, string> = {}) {
  const answer = await ask(path, { headers });
  const items = [...(answer.headers.get("RateLimit") ?? "").matchAll(/"([^"]+)";r=(\d+)/g)];
  if (items.length === 0) return answer.status;
  return Object.fromEntries(items.map(([, name, units]) => [name, Number(units)]));
}

const gatewayOf = async (rule: object) =>
  gatewayTo((await startOrigin()).url, [{ path: "/*", ...rule }]);

describe("a policy's own partition", () => {
  test("counts beside the rule's: each client by both", async () => {
    const ask = await gatewayOf({
      partition: ["header:x-api-key", "ip"],
      policies: [
        quota("client", 10),
        { ...quota("address", 100), partition: ["ip"] },
        { ...quota("everyone", 1_000), partition: "*" },
      ],
    });
    const elsewhere = { "cf-connecting-ip": "192.0.2.2" };
    expect([
      await left(ask, "/", { "x-api-key": "a" }),
      await left(ask, "/", { "x-api-key": "b" }),
      await left(ask, "/", { "x-api-key": "a", ...elsewhere }),
      await left(ask, "/"),
    ]).toEqual([
      { client: 9, address: 99, everyone: 999 },
      { client: 9, address: 98, everyone: 998 },
      { client: 8, address: 99, everyone: 997 },
      { client: 9, address: 97, everyone: 996 },
    ]);
  });

  test("reads the names in the rule's path", async () => {
    const ask = await gatewayOf({
      path: "/:tenant/*",
      policies: [quota("address", 9), { ...quota("tenant", 9), partition: ["path:tenant"] }],
    });
    expect([await left(ask, "/a/x"), await left(ask, "/b"), await left(ask, "/a")]).toEqual([
      { address: 8, tenant: 8 },
      { address: 7, tenant: 8 },
      { address: 6, tenant: 7 },
    ]);
  });
});

describe("onMissing of a policy", () => {
  const rule = (onMissing: string | undefined, more: object = {}) =>
    gatewayOf({
      partition: ["ip"],
      policies: [
        quota("address", 10),
        { ...quota("key", 10), partition: ["header:x-api-key"], ...(onMissing && { onMissing }) },
      ],
      ...more,
    });
  const key = { "x-api-key": "a" };

  test('"skip" leaves the policy out of the decision, and out of the fields', async () => {
    const ask = await rule("skip");
    expect([await left(ask, "/"), await left(ask, "/", key), await left(ask, "/")]).toEqual([
      { address: 9 },
      { address: 8, key: 9 },
      { address: 7 },
    ]);
  });

  test('"share" counts all who have none together', async () => {
    const ask = await rule("share");
    expect([
      await left(ask, "/"),
      await left(ask, "/", key),
      await left(ask, "/", { "cf-connecting-ip": "192.0.2.2" }),
    ]).toEqual([
      { address: 9, key: 9 },
      { address: 8, key: 9 },
      { address: 9, key: 8 },
    ]);
  });

  test('"reject" answers 400, and takes nothing', async () => {
    const ask = await rule("reject");
    expect([await left(ask, "/"), await left(ask, "/", key)]).toEqual([
      400,
      { address: 9, key: 9 },
    ]);
  });

  test("overrides the rule's, and is the rule's where the policy has none", async () => {
    const strict = { onMissing: "reject" };
    expect(await left(await rule("skip", strict), "/")).toEqual({ address: 9 });
    expect(await left(await rule("share", strict), "/")).toEqual({ address: 9, key: 9 });
    expect(await left(await rule(undefined, strict), "/")).toBe(400);
  });

  test("of one policy says nothing about the same sources of another", async () => {
    const one = { partition: ["header:x-api-key"] };
    const ask = await gatewayOf({
      policies: [
        quota("address", 10),
        { ...quota("skipped", 10), ...one, onMissing: "skip" },
        { ...quota("shared", 10), ...one, onMissing: "share" },
      ],
    });
    expect(await left(ask, "/")).toEqual({ address: 9, shared: 9 });
  });

  test("of one rule says nothing about the same sources in another", async () => {
    const one = { partition: ["header:x-api-key"] };
    const ask = gatewayTo((await startOrigin()).url, [
      {
        path: "/*",
        policies: [quota("all", 10), { ...quota("a", 10), ...one, onMissing: "skip" }],
      },
      { path: "/b", policies: [{ ...quota("b", 10), ...one, onMissing: "share" }] },
    ]);
    expect([await left(ask, "/b"), await left(ask, "/b", key)]).toEqual([
      { all: 9, b: 9 },
      { all: 8, a: 9, b: 9 },
    ]);
  });
});

describe("costs by the names of policies", () => {
  const policies = [quota("requests", 10), quota("tokens", 1_000)];

  test("are taken from each, and 1 from policies without a cost", async () => {
    const ask = await gatewayOf({ policies, cost: { tokens: 400 } });
    expect([await left(ask, "/"), await left(ask, "/")]).toEqual([
      { requests: 9, tokens: 600 },
      { requests: 8, tokens: 200 },
    ]);
    const denied = await ask("/");
    expect(await denied.json()).toMatchObject({ "violated-policies": ["tokens"] });
    expect([denied.status, denied.headers.get("X-RateLimit-Reason")]).toEqual([
      429,
      "cached-denial",
    ]);
  });

  test("of one rule cost the policies of another nothing", async () => {
    const ask = gatewayTo((await startOrigin()).url, [
      { path: "/*", policies: [quota("all", 10)] },
      { path: "/a", policies, cost: { tokens: 0, requests: 2 } },
      { path: "/*", policies: [quota("dear", 10)], cost: 5 },
    ]);
    expect(await left(ask, "/a")).toEqual({ all: 9, requests: 8, tokens: 1_000, dear: 5 });
  });
});
