import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { rateLimit, type RateLimitOptions } from "../../src/hono.ts";
import { header, lists } from "../../src/index.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";

const policies = [fixedWindow({ name: "hourly", limit: 1, window: "1h" })];

/** An app that says how it was decided, and how often its store was asked. */
function appWith(options: Partial<RateLimitOptions>) {
  const store = openMemoryStore();
  const decide = vi.spyOn(store, "decide");
  const app = new Hono()
    .use(rateLimit({ store, policies, clientIp: "cloudflare", ...options }))
    .get("/", (c) => c.text(c.var.rateLimit.reason));
  const ask = async (fields: Record<string, string>) => {
    const answer = await app.request("/", { headers: fields });
    return `${answer.status} ${answer.status === 200 ? await answer.text() : ""}`.trim();
  };
  return { ask, app, calls: () => decide.mock.calls.length };
}

describe("the lists of rateLimit()", () => {
  test("exempt and refuse by address, without a call of the store", async () => {
    const { ask, app, calls } = appWith({
      lists: lists({ allow: [{ cidr: "2001:db8::/48" }], deny: [{ cidr: "2001:db8::/32" }] }),
    });
    const exempt = { "cf-connecting-ip": "2001:db8::1" };
    expect([await ask(exempt), await ask(exempt)]).toEqual(["200 exempt", "200 exempt"]);
    expect(await ask({ "cf-connecting-ip": "2001:db8:1::1" })).toBe("403");
    expect(calls()).toBe(0);
    expect(await ask({ "cf-connecting-ip": "2001:db9::1" })).toBe("200 allowed");
    expect(calls()).toBe(1);

    const { headers } = await app.request("/", { headers: exempt });
    expect(headers.get("X-RateLimit-Reason")).toBe("exempt");
    expect(headers.has("RateLimit-Policy")).toBe(false);
  });

  test("know an identity as the partition function returns it, which is asked once", async () => {
    const partition = vi.fn<(c: { req: { header(name: string): string | undefined } }) => string>(
      (c) => c.req.header("x-user")!,
    );
    const { ask } = appWith({
      partition: partition as never,
      lists: lists({ allow: [{ identity: "user:1" }], deny: [{ identity: "user:2" }] }),
    });
    expect(await ask({ "x-user": "user:1" })).toBe("200 exempt");
    expect(await ask({ "x-user": "user:2" })).toBe("403");
    expect(await ask({ "x-user": "user:3" })).toBe("200 allowed");
    expect(partition).toHaveBeenCalledTimes(3);
  });

  test("know an identity by a header, where sources say which identity is counted", async () => {
    const { ask } = appWith({
      partition: [header("x-api-key"), "ip"],
      lists: lists({ deny: [{ identity: "x-api-key:k_1" }] }),
    });
    expect(await ask({ "x-api-key": "k_1" })).toBe("403");
    expect(await ask({ "x-api-key": "k_2" })).toBe("200 allowed");
  });

  test("know a country by the platform's header, where no entry names a network", async () => {
    const { ask } = appWith({ clientIp: "vercel", lists: lists({ deny: [{ country: "KP" }] }) });
    const address = { "x-forwarded-for": "192.0.2.1", "x-real-ip": "192.0.2.1" };
    expect(await ask({ ...address, "x-vercel-ip-country": "KP" })).toBe("403");
    expect(await ask({ ...address, "x-vercel-ip-country": "CH" })).toBe("200 allowed");
  });

  test("come before a refusal of clients without an identity", async () => {
    const { ask } = appWith({
      partition: [header("x-api-key")],
      onMissing: "reject",
      lists: lists({ allow: [{ cidr: "192.0.2.1" }], deny: [{ cidr: "192.0.2.2" }] }),
    });
    expect(await ask({ "cf-connecting-ip": "192.0.2.1" })).toBe("200 exempt");
    expect(await ask({ "cf-connecting-ip": "192.0.2.2" })).toBe("403");
    expect(await ask({ "cf-connecting-ip": "192.0.2.3" })).toBe("400");
  });

  test.for<[options: object, path: string]>([
    [{ clientIp: "cloudflare", lists: lists([] as never) }, "lists"],
    [
      { clientIp: "cloudflare", lists: lists({ deny: [{ asn: "1" as never }] }) },
      "lists.deny[0].asn",
    ],
    [{ clientIp: "socket", lists: lists({ deny: [{ asn: 1 }] }) }, "lists.deny[0].asn"],
    [{ clientIp: "nginx", lists: lists({ deny: [{ asn: 1 }] }) }, "clientIp"],
    [{ partition: () => "a", lists: lists({ deny: [{ cidr: "::/0" }] }) }, "clientIp"],
    [{ partition: [header("a")], lists: lists({ deny: [{ cidr: "::/0" }] }) }, "clientIp"],
    [
      { clientIp: "cloudflare", lists: lists({ deny: [{ identity: "ada" }] }) },
      "lists.deny[0].identity",
    ],
    [{ clientIp: "cloudflare", list: {} }, "list"],
  ])("have faults of their own: %j", ([options, path]) => {
    expect(() => rateLimit({ store: openMemoryStore(), policies, ...options })).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ path })] }),
    );
  });

  test("need no address for identities", async () => {
    const { ask } = appWith({
      clientIp: undefined as never,
      partition: () => "a",
      lists: lists({ deny: [{ identity: "a" }] }),
    });
    expect(await ask({})).toBe("403");
  });
});
