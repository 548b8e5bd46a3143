import { describe, expect, test, vi } from "vitest";

import { useFetched } from "../fetched.ts";

const { origin, gateway } = useFetched();

const onWorkers = () => vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });

/** The request that the origin got for a request with these fields. */
async function asked(fields: Record<string, string> = {}, path = "/x", init: RequestInit = {}) {
  await gateway({})(path, { ...init, headers: fields });
  const [request, options] = origin.mock.calls[0]!;
  return { request, options, fields: Object.fromEntries(request.headers) };
}

describe("the request to the origin", () => {
  test("is the same method, path and query at its own address, and redirects are not followed", async () => {
    const { request, options } = await asked({}, "/A//b%20c/?x=1&y=/", {
      method: "PATCH",
      body: "hello",
    });
    expect([request.method, request.url, await request.text()]).toEqual([
      "PATCH",
      "https://origin.example/A//b%20c/?x=1&y=/",
      "hello",
    ]);
    expect(options).toMatchObject({ redirect: "manual" });
    expect(origin).toHaveBeenCalledTimes(1);
  });

  test("has these fields, and no other, off Workers", async () => {
    const { fields } = await asked({
      Host: "gateway.example",
      "Accept-Encoding": "br",
      Upgrade: "websocket",
      Connection: "Upgrade",
      "X-Own": "1",
    });
    expect(fields).toEqual({
      "x-own": "1",
      "x-forwarded-host": "gateway.example",
      "x-forwarded-proto": "http",
    });
  });

  test("has these on Workers, where a coding goes through and a WebSocket, too", async () => {
    onWorkers();
    const { fields } = await asked({
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
      expect((await asked({ Upgrade: upgrade })).fields).not.toHaveProperty("upgrade");
    },
  );

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

  test.each([
    [false, {}],
    [true, { "content-encoding": "gzip", "content-length": "5" }],
  ])(
    "names its coding and length only where they still hold: on Workers %j",
    async (workers, fields) => {
      if (workers) onWorkers();
      origin.mockResolvedValue(
        new Response("coded", { headers: { "Content-Encoding": "gzip", "Content-Length": "5" } }),
      );
      const { headers } = await gateway({})("/x");
      headers.delete("content-type");
      expect(Object.fromEntries(headers)).toEqual(fields);
    },
  );

  test("keeps its length where it was not coded", async () => {
    origin.mockResolvedValue(new Response("plain", { headers: { "Content-Length": "5" } }));
    expect((await gateway({})("/x")).headers.get("Content-Length")).toBe("5");
  });

  test("has no field that its Connection names, off Workers and on", async () => {
    for (const prepare of [() => {}, onWorkers]) {
      prepare();
      origin.mockResolvedValue(
        new Response("hop", {
          headers: {
            Connection: "X-Hop",
            "X-Hop": "1",
            "Proxy-Authenticate": "Basic",
            "X-Own": "1",
          },
        }),
      );
      const { headers } = await gateway({})("/x");
      headers.delete("content-type");
      expect(Object.fromEntries(headers)).toEqual({ "x-own": "1" });
    }
  });

  test("is a problem that may not be stored where the origin fails, after one try", async () => {
    origin.mockRejectedValue(new TypeError("connect ECONNREFUSED 10.0.0.1"));
    const answer = await gateway({})("/x", { method: "POST", body: "once" });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([502, "no-store"]);
    expect(await answer.text()).not.toMatch(/10\.0\.0\.1|origin\.example/);
    expect(origin).toHaveBeenCalledTimes(1);
  });
});
