import { describe, expect, test, vi } from "vitest";

import { useFetched } from "../fetched.ts";

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

  test("is a problem that may not be stored where the origin fails, after one try", async () => {
    origin.mockRejectedValue(new TypeError("connect ECONNREFUSED 10.0.0.1"));
    const answer = await gateway({})("/x", { method: "POST", body: "once" });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([502, "no-store"]);
    expect(await answer.text()).not.toMatch(/10\.0\.0\.1|origin\.example/);
    expect(origin).toHaveBeenCalledTimes(1);
  });
});
