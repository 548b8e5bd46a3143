import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { createGateway } from "../../../src/gateway/gateway.ts";
import { generous, quota, startOrigin } from "../../support/gateway/gateway.ts";

const warn = vi.spyOn(console, "warn");
beforeEach(() => void warn.mockReset().mockReturnValue());

const RULES = [{ path: "/*", policies: [quota("all", 1)] }];

/** Variables with a secret that is lost. */
const broken = (ORIGIN: string, more: object = {}) => ({
  ORIGIN,
  CLIENT_IP: "cloudflare",
  RULES,
  UPSTASH_REDIS_REST_URL: "https://redis.example",
  ...more,
});

describe("with faults in the variables", () => {
  test.each([{}, { ON_ERROR: "refuse" }])("%j stops the gateway", (more) => {
    expect(() => createGateway(broken("https://origin.example", more))).toThrow(
      "UPSTASH_REDIS_REST_TOKEN",
    );
  });

  test('ON_ERROR "pass" lets every request pass, and says so', async () => {
    const origin = await startOrigin();
    const gateway = createGateway(broken(origin.url, { ON_ERROR: "pass" }));
    for (let request = 0; request < 3; request++) {
      const answer = await gateway.request("/x", { headers: { "cf-connecting-ip": "192.0.2.1" } });
      expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, null]);
    }
    expect(origin.seen).toHaveLength(3);
    // Fields that the origin must not see are still removed.
    expect(origin.seen[0]!.fields).not.toHaveProperty("tidegate-over");
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![0]).toMatch(/no request is limited.*UPSTASH_REDIS_REST_TOKEN/s);
    for (const path of ["health", "api/v1/rules"]) {
      for (const own of ["/_tidegate", "//_Tidegate", "/%5Ftidegate;x"]) {
        expect((await gateway.request(`${own}/${path}`)).status).toBe(503);
      }
    }
    // Paths that no honest client sends, too.
    for (const path of [
      "/_tidegate/a%5cb",
      "//_Tidegate/%00",
      "/%255Ftidegate/..%2f",
      "/;a/_tidegate/%5c",
    ]) {
      expect((await gateway.request(path)).status).toBe(503);
    }
    expect(origin.seen).toHaveLength(3);
    await gateway.flush();
  });

  test.each([{}, { ADMIN_HOST: "admin.example.com" }])(
    'ON_ERROR "pass" answers a load balancer that the gateway serves, with %j',
    async (more) => {
      const gateway = createGateway(
        broken("https://origin.example", { ON_ERROR: "pass", ...more }),
      );
      const answer = await gateway.request("http://127.0.0.1/_tidegate/live");
      expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
    },
  );

  test.each(["", "origin.example", undefined])(
    "an origin %j that no request can reach stops it all the same",
    (ORIGIN) => {
      expect(() => createGateway(broken(ORIGIN as string, { ON_ERROR: "pass" }))).toThrow("ORIGIN");
    },
  );
});

describe("where a request makes the gateway fail", () => {
  const gatewayTo = (ORIGIN: string, ON_ERROR: string) =>
    createGateway({ ORIGIN, STORE: "memory", CLIENT_IP: "cloudflare", RULES: generous, ON_ERROR });

  /** Sends requests that the gateway fails to read. */
  const ask = (gateway: ReturnType<typeof gatewayTo>) => {
    const request = new Request("http://gateway.example/x", {
      method: "POST",
      body: "what the client sends",
    });
    Object.defineProperty(request, "headers", {
      get() {
        if (new Error("who asks").stack!.includes("read-client")) throw new Error("broken");
        return new Headers({ "cf-connecting-ip": "192.0.2.1" });
      },
    });
    return gateway.fetch(request);
  };

  test('ON_ERROR "refuse" answers 500, the origin sees nothing, and one line a minute says so', async () => {
    const origin = await startOrigin();
    const gateway = gatewayTo(origin.url, "refuse");
    for (let i = 0; i < 3; i++) expect((await ask(gateway)).status).toBe(500);
    expect(origin.seen).toEqual([]);
    expect(warn.mock.calls).toEqual([
      ["tidegate: a request failed: broken: 1 request since the last such line."],
    ]);
  });

  test('ON_ERROR "pass" passes it on, once, with its body', async () => {
    const origin = await startOrigin();
    const gateway = gatewayTo(origin.url, "pass");
    const answer = await ask(gateway);
    expect([answer.status, await answer.text()]).toEqual([200, "origin"]);
    expect(origin.seen.map(({ body }) => body)).toEqual(["what the client sends"]);
    await ask(gateway);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/passed unlimited, because the gateway failed: broken: 1 request /)],
    ]);
  });

  test("Cloudflare is told to pass it on to the zone, where even an answer fails", async () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    vi.stubGlobal("fetch", async () => new Response("origin"));
    onTestFinished(() => void vi.unstubAllGlobals());
    const told = async (ORIGIN: string, ON_ERROR: string) => {
      const passThroughOnException = vi.fn();
      const context = { waitUntil() {}, passThroughOnException, props: {} };
      const request = new Request("https://shop.example/x", {
        headers: { "cf-connecting-ip": "192.0.2.1" },
      });
      await gatewayTo(ORIGIN, ON_ERROR).fetch(request, {}, context);
      return passThroughOnException.mock.calls.length;
    };
    expect(await told("zone", "pass")).toBe(1);
    expect(await told("zone", "refuse")).toBe(0);
    // Elsewhere the zone is the gateway itself, or of another owner.
    expect(await told("https://origin.example", "pass")).toBe(0);
  });
});
