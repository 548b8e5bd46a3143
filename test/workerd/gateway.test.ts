import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";

function quota(name: string, limit: number): object {
  return { algorithm: "fixed-window", name, limit, window: "30d" };
}

/** The origin's answer: the Redis bridge stands for one, and wants a token. */
const PASSED = 401;

/** A gateway on the real Redis. */
function gatewayWith(variables: object) {
  const gateway = createGateway({
    ...env,
    ORIGIN: env["UPSTASH_REDIS_REST_URL"],
    TIMEOUT: "10s",
    PREFIX: crypto.randomUUID(),
    ...variables,
  });
  return async (path: string, address = "192.0.2.1", more: object = {}) => {
    const headers = { "cf-connecting-ip": address };
    const init = { headers, ...more } as RequestInit;
    return gateway.fetch(new Request(`https://gateway.example${path}`, init));
  };
}

describe("createGateway() in workerd, on a real Redis", () => {
  test("knows that it is on Cloudflare, and limits by address", async () => {
    const ask = gatewayWith({ RULES: [{ path: "/a", policies: [quota("a", 1)] }] });
    expect((await ask("/a")).status).toBe(PASSED);
    expect((await ask("/a")).status).toBe(429);
    expect((await ask("/a", "192.0.2.2")).status).toBe(PASSED);
    expect((await ask("/a", "::ffff:192.0.2.2")).status).toBe(429);
    expect((await ask("/b")).headers.has("RateLimit")).toBe(false);
  });

  test("limits by the network that Cloudflare says, not by one that a header says", async () => {
    const send = gatewayWith({
      RULES: [{ path: "/a", policies: [quota("a", 1)], partition: [["asn", "country"]] }],
    });
    const ask = async (cf: object) => {
      const headers = { "x-vercel-ip-as-number": crypto.randomUUID() };
      return (await send("/a", "", { headers, cf })).status;
    };
    expect(await ask({ asn: 13_335, country: "DE" })).toBe(PASSED);
    expect(await ask({ asn: 13_335, country: "DE" })).toBe(429);
    expect(await ask({ asn: 13_335, country: "FR" })).toBe(PASSED);
    expect(await ask({ asn: 3_320, country: "DE" })).toBe(PASSED);
  });

  test("takes a zone for an origin", () => {
    const rules = [{ path: "/a", policies: [quota("a", 1)] }];
    expect(() => gatewayWith({ ORIGIN: "zone", RULES: rules })).not.toThrow();
  });

  test("answers many requests at once in one isolate, each of them by Redis", async () => {
    const ask = gatewayWith({ RULES: [{ path: "/a", policies: [quota("a", 30)] }] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask("/a")));
    expect(answers.filter(({ status }) => status === PASSED)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const reasons = answers.map(({ headers }) => headers.get("X-RateLimit-Reason"));
    expect(new Set(reasons)).toEqual(new Set([null, "limited"]));
  });

  test("is healthy, for all requests at once", async () => {
    const ask = gatewayWith({ RULES: [{ path: "/a", policies: [quota("a", 1)] }] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask("/_tidegate/health")));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    expect(await answers[0]!.json()).toMatchObject({ status: "ok" });
  });
});

test("the gateway in workerd looks into its lists by what Cloudflare says about the client", async () => {
  const send = gatewayWith({
    STORE: "memory",
    RULES: [{ path: "/*", policies: [quota("all", 1)] }],
    LISTS: {
      allow: [{ cidr: "2001:db8::/32" }],
      deny: [{ asn: 64496 }, { country: "KP" }, { cidr: "198.51.100.0/24" }],
    },
  });
  const ask = async (address: string, asn: number, country: string) => {
    const { status, headers } = await send("/a", address, { cf: { asn, country } });
    return [status, headers.get("X-RateLimit-Reason")];
  };
  expect(await ask("192.0.2.1", 64496, "CH")).toEqual([403, "blocked"]);
  expect(await ask("192.0.2.1", 1, "KP")).toEqual([403, "blocked"]);
  expect(await ask("198.51.100.7", 1, "CH")).toEqual([403, "blocked"]);
  expect(await ask("2001:db8::1", 64496, "KP")).toEqual([PASSED, "exempt"]);
  expect(await ask("192.0.2.1", 1, "CH")).toEqual([PASSED, null]);
});
