import { describe, expect, inject, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";

function quota(name: string, limit: number): object {
  return { algorithm: "fixed-window", name, limit, window: "30d" };
}

/** The Redis bridge stands for the origin, too: to a command in the path, it answers like one. */
function gatewayWith(rules: readonly object[], variables: object = {}) {
  const gateway = createGateway({
    ORIGIN: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    CLIENT_IP: "vercel",
    PREFIX: crypto.randomUUID(),
    RULES: JSON.stringify(rules),
    ...variables,
  });
  return async (path: string, init: RequestInit = {}) =>
    gateway.fetch(
      new Request(`https://shop.example${path}`, {
        ...init,
        headers: { "x-real-ip": "192.0.2.1", ...init.headers },
      }),
    );
}

const authorization = () => ({ Authorization: `Bearer ${inject("redisRestToken")}` });

describe("createGateway() in Vercel's runtime, on a real Redis", () => {
  test("passes requests on, and limits what its rules cover", async () => {
    const ask = gatewayWith([{ path: "/echo/*", policies: [quota("echo", 1)] }]);
    const passed = await ask("/echo/hello", { headers: authorization() });
    expect([passed.status, await passed.json()]).toEqual([200, { result: "hello" }]);
    expect(passed.headers.get("RateLimit-Policy")).toBe('"echo";q=1;w=2592000');
    expect(passed.headers.has("X-RateLimit-Reason")).toBe(false);

    const denied = await ask("//ECHO/hello", { headers: authorization() });
    expect([denied.status, denied.headers.get("Content-Type")]).toEqual([
      429,
      "application/problem+json",
    ]);
    const unlimited = await ask("/ping", { headers: authorization() });
    expect(await unlimited.json()).toEqual({ result: "PONG" });
    expect(unlimited.headers.has("RateLimit")).toBe(false);
  });

  test("passes bodies on", async () => {
    const ask = gatewayWith([{ path: "/", policies: [quota("all", 100)] }]);
    const body = JSON.stringify(["ECHO", "x".repeat(100_000)]);
    const answer = await ask("/", { method: "POST", headers: authorization(), body });
    expect(await answer.json()).toEqual({ result: "x".repeat(100_000) });
  });

  test("answers preflights of the sites in CORS, whose scripts can read a 429", async () => {
    const ask = gatewayWith([{ path: "/echo/*", policies: [quota("echo", 1)] }], {
      CORS: JSON.stringify({ origin: ["https://app.example"] }),
    });
    const from = { origin: "https://app.example", ...authorization() };
    const asking = { ...from, "access-control-request-method": "GET" };
    const answers = [
      await ask("/echo/hello", { method: "OPTIONS", headers: asking }),
      await ask("/echo/hello", { headers: from }),
      await ask("/echo/hello", { headers: from }),
    ];
    // The bridge refuses requests of other sites.
    expect(answers.map(({ status }) => status)).toEqual([204, 403, 429]);
    for (const { headers } of answers) {
      expect(headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
      expect(headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
    }
  });

  test("keeps clients apart by x-real-ip", async () => {
    const ask = gatewayWith([{ path: "/a", policies: [quota("a", 1)] }]);
    const as = async (address: string) =>
      (await ask("/a", { headers: { "x-real-ip": address } })).status;
    expect([await as("192.0.2.1"), await as("192.0.2.1"), await as("192.0.2.2")]).toEqual([
      401, 429, 401,
    ]);
  });

  test("answers for its health, and says 502 of an origin that is away", async () => {
    const ask = gatewayWith([{ path: "/a", policies: [quota("a", 1)] }], {
      ORIGIN: "http://127.0.0.1:1",
    });
    expect(await (await ask("/_tidegate/health")).json()).toMatchObject({ status: "ok" });
    expect((await ask("/b")).status).toBe(502);
  });
});
