import { describe, expect, test } from "vitest";

import { startOnNode, useNode, useWorkerd } from "./platforms.ts";
import { exchange, startWireOrigin, type WireOrigin } from "./wire.ts";

/** Fields that a client makes up, by which origins learn who it is and what it has asked. */
const MADE_UP = {
  Forwarded: "for=192.0.2.66;host=evil.example;proto=https",
  "X-Forwarded-For": "192.0.2.66",
  "X-FORWARDED-HOST": "evil.example",
  "x-forwarded-proto": "gopher",
  "X-Forwarded-Port": "666",
  "X-Forwarded-Prefix": "/evil",
  "X-Forwarded-Server": "evil.example",
  "X-Forwarded-Ssl": "on",
  "X-Forwarded-User": "root",
  "X-Forwarded": "for=192.0.2.66",
  "Forwarded-For": "192.0.2.66",
  "X-Original-Forwarded-For": "192.0.2.66",
  "X-Real-IP": "192.0.2.66",
  "X-Client-IP": "192.0.2.66",
  "Client-IP": "192.0.2.66",
  "X-Cluster-Client-IP": "192.0.2.66",
  "True-Client-IP": "192.0.2.66",
  "Fastly-Client-IP": "192.0.2.66",
  "Fly-Client-IP": "192.0.2.66",
  "WL-Proxy-Client-IP": "192.0.2.66",
  "X-Originating-IP": "192.0.2.66",
  "X-Remote-IP": "192.0.2.66",
  "X-Remote-Addr": "192.0.2.66",
  "X-ProxyUser-IP": "192.0.2.66",
  "X-AppEngine-User-IP": "192.0.2.66",
  "X-Azure-ClientIP": "192.0.2.66",
  "X-Azure-SocketIP": "192.0.2.66",
  ClientIP: "192.0.2.66",
  "X-TrueClientIP": "192.0.2.66",
  "X-Sucuri-ClientIP": "192.0.2.66",
  "X-Source-IP": "192.0.2.66",
  "CDN-Src-IP": "192.0.2.66",
  "X-Remote-Address": "192.0.2.66",
  "X-Original-Remote-Addr": "192.0.2.66",
  "X-Original-Host": "evil.example",
  "X-Host": "evil.example",
  "X-HTTP-Host-Override": "evil.example",
  "X-Forward-For": "192.0.2.66",
  "X-Envoy-External-Address": "192.0.2.66",
  "CF-Connecting-IP": "192.0.2.66",
  "CF-Connecting-IPv6": "2001:db8::66",
  "CF-Pseudo-IPv4": "192.0.2.66",
  "CF-IPCountry": "XX",
  "CF-Visitor": '{"scheme":"https"}',
  "X-Vercel-Forwarded-For": "192.0.2.66",
  "X-Vercel-IP-Country": "XX",
  "CloudFront-Viewer-Address": "192.0.2.66:1",
  "Front-End-Https": "on",
  "X-Url-Scheme": "https",
  "X-Scheme": "https",
} as const;

type MadeUp = keyof typeof MADE_UP;

/** Fields that come from clients as they are. */
const OWN = ["X-Own: 1", "Via: 1.1 client", "X-Forward: 1", "User-Agent: own"];

function ask(fields: Partial<Record<MadeUp, string>>, host = "shop.example", path = "/x"): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...OWN, ...lines, "", ""].join("\r\n");
}

/** The fields of a request as the origin got them, in lower case, but for those of every request. */
async function seen(url: string, origin: WireOrigin, text: string) {
  origin.seen.length = 0;
  expect((await exchange(url, text)).line).toBe("HTTP/1.1 200 OK");
  const [{ fields }] = origin.seen as [WireOrigin["seen"][number]];
  const others = ["host", "connection", "accept-encoding", "cf-worker"];
  const named = fields.map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => !others.includes(name)));
}

const OWN_SEEN = { "x-own": "1", via: "1.1 client", "x-forward": "1", "user-agent": "own" };

/** Those of the client's that pass, as the origin sees them. */
const kept = (...names: readonly MadeUp[]) =>
  Object.fromEntries(names.map((name) => [name.toLowerCase(), MADE_UP[name]]));

const CF = [
  "CF-Connecting-IP",
  "CF-Connecting-IPv6",
  "CF-Pseudo-IPv4",
  "CF-IPCountry",
  "CF-Visitor",
] as const;

describe("what an origin gets from a gateway on Node", () => {
  const cases: readonly [clientIp: unknown, told: object][] = [
    [
      "socket",
      {
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-host": "shop.example",
        "x-forwarded-proto": "http",
      },
    ],
    [
      "cloudflare",
      {
        ...kept(...CF),
        "x-forwarded-for": "192.0.2.66, 127.0.0.1",
        "x-forwarded-host": "shop.example",
        "x-forwarded-proto": "gopher",
      },
    ],
    [
      "vercel",
      {
        ...kept("X-Real-IP", "X-Vercel-Forwarded-For", "X-Vercel-IP-Country"),
        "x-forwarded-for": "192.0.2.66, 127.0.0.1",
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "gopher",
      },
    ],
    [
      { trustedHops: 1 },
      {
        ...kept(
          "X-Forwarded-Port",
          "X-Forwarded-Prefix",
          "X-Forwarded-Server",
          "X-Forwarded-Ssl",
          "X-Forwarded-User",
        ),
        "x-forwarded-for": "192.0.2.66, 127.0.0.1",
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "gopher",
      },
    ],
  ];

  test.each(cases)("is what CLIENT_IP = %j trusts, and what is true", async (CLIENT_IP, told) => {
    const origin = await startWireOrigin();
    const gateway = await startOnNode({ ORIGIN: origin.url, CLIENT_IP });
    const fields = await seen(gateway.url, origin, ask(MADE_UP));
    expect(fields).toEqual({ ...OWN_SEEN, ...told });
    await gateway.stop();
    await origin.close();
  });

  describe.each<[clientIp: unknown, fields: Partial<Record<MadeUp, string>>, told: string]>([
    ["socket", {}, "127.0.0.1"],
    ["cloudflare", {}, "127.0.0.1"],
    ["vercel", {}, "127.0.0.1"],
    [{ trustedHops: 1 }, {}, "127.0.0.1"],
    [
      { trustedHops: 2 },
      { "X-Forwarded-For": "1.1.1.1, 2.2.2.2,3.3.3.3" },
      "2.2.2.2, 3.3.3.3, 127.0.0.1",
    ],
    [{ trustedHops: 9 }, { "X-Forwarded-For": "1.1.1.1" }, "1.1.1.1, 127.0.0.1"],
    [
      { trustedHops: 2 },
      { "X-Forwarded-For": "::ffff:1.1.1.1, [2001:DB8:0::1]:443" },
      "1.1.1.1, 2001:db8::1, 127.0.0.1",
    ],
    [{ trustedHops: 2 }, { "X-Forwarded-For": "unknown, _hidden" }, "unknown, _hidden, 127.0.0.1"],
    ["cloudflare", { "CF-Connecting-IP": "2001:db8::1" }, "2001:db8::1, 127.0.0.1"],
  ])("with CLIENT_IP = %j and %j", (CLIENT_IP, fields, told) => {
    const gateway = useNode({ CLIENT_IP });

    test(`says that the request came from ${told}`, async () => {
      const got = await seen(gateway.url, gateway.origin, ask(fields));
      expect(got).toMatchObject({
        "x-forwarded-for": told,
        "x-forwarded-host": "shop.example",
        "x-forwarded-proto": "http",
      });
    });
  });

  test("names the host, and no scheme, of an address in the request line", async () => {
    const origin = await startWireOrigin();
    const gateway = await startOnNode({ ORIGIN: origin.url });
    const fields = await seen(
      gateway.url,
      origin,
      ask({}, "other.example", "https://shop.example:81/x"),
    );
    expect(fields).toEqual({
      ...OWN_SEEN,
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "shop.example:81",
      "x-forwarded-proto": "http",
    });
    await gateway.stop();
    await origin.close();
  });

  test("is the same where the variables have faults and ON_ERROR lets requests pass", async () => {
    const origin = await startWireOrigin();
    const variables = { ORIGIN: origin.url, ON_ERROR: "pass", RULES: "faulty" };
    for (const [CLIENT_IP, addresses] of [
      ["socket", "127.0.0.1"],
      [{ trustedHops: 1 }, "192.0.2.66, 127.0.0.1"],
      ["nonsense", "127.0.0.1"],
    ]) {
      const gateway = await startOnNode({ ...variables, CLIENT_IP });
      const fields = await seen(gateway.url, origin, ask({ "X-Forwarded-For": "192.0.2.66" }));
      expect(fields["x-forwarded-for"]).toBe(addresses);
      await gateway.stop();
    }
    await origin.close();
  });
});

describe("what an origin gets from a gateway on Workers", () => {
  const gateway = useWorkerd();

  test("is what Cloudflare says, and what is true", async () => {
    const fields = await seen(gateway.url, gateway.origin, ask(MADE_UP));
    // Cloudflare sets the client's own for an origin.
    const [, ...others] = CF;
    expect(fields).toEqual({
      ...OWN_SEEN,
      ...kept(...others),
      "x-forwarded-for": "192.0.2.66",
      "x-forwarded-host": "shop.example",
      "x-forwarded-proto": "http",
    });
  });
});
