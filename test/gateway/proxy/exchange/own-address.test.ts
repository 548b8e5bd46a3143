import { describe, expect, test } from "vitest";

import { ownAddress } from "../../../../src/gateway/proxy/own-address.ts";
import { PLATFORMS } from "./platforms.ts";
import { exchange } from "./wire.ts";

const ASKED = { host: "shop.example:8080", proto: "http" };

/** A field that the origin at an address sends, as the client gets it. */
const rewritten = (origin: string, name: string, value: string, asked = ASKED) =>
  ownAddress(origin).get(name)!(value, asked);

describe("an address that the origin says of itself", () => {
  test.each([
    ["http://origin.example", "http://origin.example/x?y=1#z", "/x?y=1#z"],
    ["http://origin.example", "http://origin.example", "/"],
    ["http://origin.example", "http://origin.example?y", "/?y"],
    ["http://origin.example", "http://origin.example#z", "/#z"],
    ["http://origin.example", "HTTP://Origin.EXAMPLE:80/X", "/X"],
    ["http://origin.example", "http://%6frigin.example/x", "/x"],
    ["http://origin.example", "http://user:secret@origin.example/x", "/x"],
    ["http://origin.example", "//origin.example/x", "/x"],
    ["http://origin.example", "\\\\origin.example\\x", "\\x"],
    ["http://origin.example", "http:///origin.example/x", "/x"],
    ["http://origin.example", "http://origin.example/caf\u00e9/%2f", "/caf\u00e9/%2f"],
    ["https://origin.example", "https://origin.example:443/x", "/x"],
    ["https://origin.example:8443", "https://origin.example:8443/x", "/x"],
    ["http://[2001:DB8::1]:81", "http://[2001:db8:0:0::1]:81/x", "/x"],
    ["http://b\u00fccher.example", "http://xn--bcher-kva.example/x", "/x"],
    ["http://origin.example/base", "http://origin.example/base/x", "/x"],
    ["http://origin.example/base", "http://origin.example/base", "/"],
    ["http://origin.example/base", "http://origin.example/base?y", "/?y"],
    ["http://origin.example/base", "/base/x", "/x"],
    ["http://origin.example/base", "/base", "/"],
    ["http://origin.example/a/b", "//origin.example/a/b/c", "/c"],
    // Two slashes would be another host.
    ["http://origin.example", "http://origin.example//evil.example/x", "/.//evil.example/x"],
    ["http://origin.example", "http://origin.example/\\evil.example/x", "/./\\evil.example/x"],
    ["http://origin.example/base", "/base//evil.example/x", "/.//evil.example/x"],
  ])("of %s: %j becomes %j", (origin, value, expected) => {
    for (const name of ["location", "content-location"]) {
      expect(rewritten(origin, name, value)).toBe(expected);
    }
    // A browser that follows it from anywhere stays with the gateway.
    const followed = new URL(expected, "https://shop.example/a/b?c");
    expect(followed.origin).toBe("https://shop.example");
    expect(rewritten(origin, "refresh", `0; url=${value}`)).toBe(`0; url=${expected}`);
  });

  test.each([
    ["http://origin.example", "http://other.example/x"],
    ["http://origin.example", "https://origin.example/x"],
    ["http://origin.example", "http://origin.example:8080/x"],
    ["http://origin.example", "http://origin.example.evil.example/x"],
    ["http://origin.example", "http://evil.example/http://origin.example/x"],
    ["http://origin.example", "http://origin.example@evil.example/x"],
    ["http://origin.example", "ftp://origin.example/x"],
    ["http://origin.example", "//other.example/x"],
    ["http://origin.example", "http://"],
    ["http://origin.example", "http://[/x"],
    ["http://origin.example", "/x"],
    ["http://origin.example", "x/http://origin.example/"],
    ["http://origin.example", "?y"],
    ["http://origin.example", ""],
    ["http://origin.example/base", "http://origin.example/other"],
    ["http://origin.example/base", "http://origin.example/basement"],
    ["http://origin.example/base", "/basement"],
    ["http://origin.example/base", "x"],
  ])("is another one, of %s: %j stays", (origin, value) => {
    for (const name of ["location", "content-location"]) {
      expect(rewritten(origin, name, value)).toBe(value);
    }
    expect(rewritten(origin, "refresh", `0; url=${value}`)).toBe(`0; url=${value}`);
  });

  test("may have the scheme of the client, which the origin was told", () => {
    const value = "https://origin.example:8080/x";
    const https = { ...ASKED, proto: "https" };
    expect(rewritten("http://origin.example:8080", "location", value, https)).toBe("/x");
    expect(rewritten("http://origin.example:8080", "location", value)).toBe(value);
  });

  test.each([
    ["5", "5"],
    ["5; url=http://origin.example/x", "5; url=/x"],
    ["0;URL='http://origin.example/x'", "0;URL='/x'"],
    ["0, http://origin.example/x", "0, /x"],
    ["0; http://other.example/x", "0; http://other.example/x"],
  ])("is rewritten in Refresh: %s", (value, expected) => {
    expect(rewritten("http://origin.example", "refresh", value)).toBe(expected);
  });

  test.each([
    ["a=1; Domain=origin.example; Path=/; Secure", "a=1; Path=/; Secure"],
    ["a=1;domain = .ORIGIN.example", "a=1"],
    ["a=Domain=origin.example; Path=/x", "a=Domain=origin.example; Path=/x"],
    ["a=1; Domain=example; Path=/x", "a=1; Domain=example; Path=/x"],
    ["a=1; Domain=other.example", "a=1; Domain=other.example"],
    ["a=1", "a=1"],
  ])("is no domain of a cookie: %s", (value, expected) => {
    expect(rewritten("http://origin.example", "set-cookie", value)).toBe(expected);
  });

  test("stays a cookie's domain where the gateway is within it", () => {
    const value = "a=1; Domain=example.com";
    const asked = { host: "shop.example.com:8080", proto: "http" };
    expect(rewritten("http://example.com", "set-cookie", value, asked)).toBe(value);
    expect(rewritten("http://example.com", "set-cookie", value)).toBe("a=1");
  });

  test.each([
    ["a=1; Path=/base/x", "a=1; Path=/x"],
    ["a=1; path=/base; Secure", "a=1; path=/; Secure"],
    ["a=1; Path=/", "a=1; Path=/"],
    ["a=1; Path=/basement", "a=1; Path=/basement"],
  ])("is a path of cookies: %s", (value, expected) => {
    expect(rewritten("http://origin.example/base", "set-cookie", value)).toBe(expected);
  });
});

describe.each(["node", "workerd"] as const)("through the gateway on %s", (platform) => {
  const gateway = PLATFORMS[platform]((origin: string) => ({
    ORIGIN: `${origin}/base`,
    RULES: [
      {
        path: "/limited/*",
        policies: [{ algorithm: "fixed-window", name: "p", limit: 9, window: "1d" }],
      },
    ],
  }));

  test.each(["/limited/x", "/x"])(
    "the origin's address stays the gateway's, at %s",
    async (path) => {
      const { url, host } = { url: gateway.origin.url, host: new URL(gateway.origin.url).host };
      const fields = [
        `LOCATION: ${url}/base/y?z#f`,
        `Content-Location: //${host}/base/x`,
        `Refresh: 1;url=${url}/base/r`,
        `Link: <${url}/base/l>; rel=next`,
        "Set-Cookie: a=1; Path=/base/c",
        "Set-Cookie: b=2; Path=/",
      ];
      gateway.origin.script = (_asked, socket) =>
        void socket.write(
          ["HTTP/1.1 302 Found", ...fields, "Content-Length: 0", "", ""].join("\r\n"),
        );
      gateway.origin.seen.length = 0;
      const answered = await exchange(gateway.url, `GET ${path} HTTP/1.1\r\nHost: {host}\r\n\r\n`);
      expect(gateway.origin.seen[0]!.line).toBe(`GET /base${path} HTTP/1.1`);
      const hosts = gateway.origin.seen[0]!.fields.filter(
        ([name]) => name.toLowerCase() === "host",
      );
      expect(hosts.map(([, value]) => value)).toEqual([host]);
      const got = answered.fields.map(([name, value]) => `${name.toLowerCase()}: ${value}`);
      expect(got).toEqual(
        expect.arrayContaining([
          "location: /y?z#f",
          "content-location: /x",
          "refresh: 1;url=/r",
          `link: <${url}/base/l>; rel=next`,
          "set-cookie: a=1; Path=/c",
          "set-cookie: b=2; Path=/",
        ]),
      );
    },
  );
});
