import { describe, expect, test, vi } from "vitest";

import { useFetched } from "../fetched.ts";

// What follows is about platforms on which fetch leads to the origin.
vi.mock(
  "../../../src/gateway/proxy/node/forward.ts",
  () => import("../../../src/gateway/proxy/forward.ts"),
);

const { origin, gateway } = useFetched();

const onWorkers = () => vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });

/** The fields that the origin got of a request with these. */
async function passed(fields: Record<string, string>) {
  await gateway({})("/x", { headers: fields });
  return Object.fromEntries(origin.mock.calls[0]![0].headers);
}

describe("the request to the origin", () => {
  test("has these fields, and no other, off Workers", async () => {
    const fields = await passed({
      Host: "gateway.example",
      "Accept-Encoding": "br",
      Upgrade: "h2c",
      Connection: "Upgrade",
      "X-Own": "1",
      "X-Forwarded-For": "192.0.2.66",
    });
    expect(fields).toEqual({
      "x-own": "1",
      "x-forwarded-host": "gateway.example",
      "x-forwarded-proto": "http",
    });
  });

  test("has these on Workers, where a coding goes through and a WebSocket, too", async () => {
    onWorkers();
    const fields = await passed({
      Host: "gateway.example",
      "Accept-Encoding": "br",
      Upgrade: "WebSocket",
      Connection: "Upgrade, X-Own",
      "X-Own": "1",
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "gopher",
    });
    expect(fields).toEqual({
      "accept-encoding": "br",
      upgrade: "WebSocket",
      "x-forwarded-host": "gateway.example",
      "x-forwarded-proto": "http",
    });
  });

  test.each(["h2c", "websocket, h2c", "TLS/1.0"])(
    "is no other upgrade on Workers: %s",
    async (upgrade) => {
      onWorkers();
      expect(await passed({ Upgrade: upgrade })).not.toHaveProperty("upgrade");
    },
  );

  test.each([
    ["a WebSocket", { headers: { Connection: "Upgrade", Upgrade: "websocket" } }],
    ["a GET with a body that the platform has dropped", { headers: { "Content-Length": "5" } }],
    ["a GET in chunks", { headers: { "Transfer-Encoding": "chunked" } }],
    ["a HEAD with a body", { method: "HEAD", headers: { "Content-Length": "5" } }],
  ])("is not sent where it would be another one: %s", async (_what, init) => {
    const { status, headers } = await gateway({})("/x", init);
    expect([status, headers.get("content-type")]).toEqual([501, "application/problem+json"]);
    expect(origin).not.toHaveBeenCalled();
  });

  test("is at the zone's own address where that is the origin", async () => {
    onWorkers();
    await gateway({ ORIGIN: "zone" })("//evil.example/x?y");
    expect(origin.mock.calls[0]![0].url).toBe("http://gateway.example//evil.example/x?y");
  });
});

describe("the answer to the client", () => {
  test("is the origin's own response where it switches protocols", async () => {
    class Switching extends Response {
      override get status(): number {
        return 101;
      }
    }
    const switching = new Switching();
    origin.mockResolvedValue(switching);
    expect(await gateway({})("/x")).toBe(switching);
    expect(await gateway({})("/limited/x")).toBe(switching);
  });

  test("names its coding and its length on Workers, where they still hold", async () => {
    onWorkers();
    const coded = { "content-encoding": "gzip", "content-length": "5" };
    origin.mockResolvedValue(new Response("coded", { headers: coded }));
    const { headers } = await gateway({})("/x");
    headers.delete("content-type");
    expect(Object.fromEntries(headers)).toEqual(coded);
  });

  test("has no field that its Connection names, on Workers", async () => {
    onWorkers();
    const fields = {
      Connection: "X-Hop",
      "X-Hop": "1",
      "Proxy-Authenticate": "Basic",
      "X-Own": "1",
    };
    origin.mockResolvedValue(new Response("hop", { headers: fields }));
    const { headers } = await gateway({})("/x");
    headers.delete("content-type");
    expect(Object.fromEntries(headers)).toEqual({ "x-own": "1" });
  });

  test.each(["a b, x-hop", "x-hop,,", ";, x-hop", "x-hop, ()"])(
    "passes with a Connection that is malformed: %j",
    async (connection) => {
      const fields = { Connection: connection, "X-Hop": "1", "X-Own": "1" };
      origin.mockResolvedValue(new Response("hop", { headers: fields }));
      const { status, headers } = await gateway({})("/x");
      expect([status, headers.get("x-hop"), headers.get("x-own")]).toEqual([200, null, "1"]);
    },
  );

  test.each([600, 799, 999])("is a 502 where its status is none: %d", async (status) => {
    class Odd extends Response {
      override get status(): number {
        return status;
      }
    }
    origin.mockResolvedValue(new Odd("odd"));
    const warn = vi.spyOn(console, "warn");
    for (const path of ["/x", "/limited/x"]) {
      const headers = { "cf-connecting-ip": "192.0.2.1" };
      expect((await gateway({})(path, { headers })).status).toBe(502);
    }
    // It has answered.
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test("names the gateway where the origin names itself", async () => {
    const fields = new Headers({
      Location: "https://origin.example/y?z",
      "Content-Location": "//ORIGIN.example:443/x",
      Refresh: "5; url=https://origin.example/z",
      "X-Own": "https://origin.example/",
    });
    fields.append("Set-Cookie", "a=1; Domain=origin.example; Secure");
    fields.append("Set-Cookie", "b=2; Domain=other.example");
    origin.mockResolvedValue(new Response("x", { headers: fields }));
    const { headers } = await gateway({})("/x");
    const names = ["location", "content-location", "refresh", "x-own"];
    expect(names.map((name) => headers.get(name))).toEqual([
      "/y?z",
      "/x",
      "5; url=/z",
      "https://origin.example/",
    ]);
    expect(headers.getSetCookie()).toEqual(["a=1; Secure", "b=2; Domain=other.example"]);
  });

  test("is a problem that may not be stored where the origin fails, after one try", async () => {
    origin.mockRejectedValue(new TypeError("connect ECONNREFUSED 10.0.0.1"));
    const answer = await gateway({})("/x", { method: "POST", body: "once" });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([502, "no-store"]);
    expect(await answer.text()).not.toMatch(/10\.0\.0\.1|origin\.example/);
    expect(origin).toHaveBeenCalledTimes(1);
  });
});
