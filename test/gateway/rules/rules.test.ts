import { describe, expect, test, vi } from "vitest";

import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { words } from "../origins/spellings.ts";

const path = "/api/rides";
const problem = "application/problem+json";

const gatewayOf = async (rules: unknown) => gatewayTo((await startOrigin()).url, rules);

describe("rules", () => {
  test("limit what they cover; everything else passes untouched", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, [
      { method: "POST", path: "/api/login", policies: [quota("login", 1)] },
    ]);
    const passed = await ask("/api/other?x=1", { method: "POST", body: "hello" });
    expect([passed.status, await passed.text()]).toEqual([200, "origin"]);
    expect([...passed.headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
    expect(origin.seen[0]).toMatchObject({
      method: "POST",
      target: "/api/other?x=1",
      body: "hello",
    });
    const first = await ask("/api/login", { method: "POST" });
    expect([first.status, await first.text()]).toEqual([200, "origin"]);
    expect(first.headers.get("RateLimit-Policy")).toBe('"login";q=1;w=2592000');
    const denied = await ask("/api/login", { method: "POST" });
    expect([denied.status, denied.headers.get("Content-Type")]).toEqual([429, problem]);
    expect(origin.seen).toHaveLength(2);
  });

  test("deny before the origin is asked, also one that is dead", async () => {
    const ask = gatewayTo("http://127.0.0.1:1", [{ path, policies: [quota("p", 1)] }]);
    expect((await ask(path)).status).toBe(502);
    expect((await ask(path)).status).toBe(429);
  });

  test("name several methods, and count each of them in one bucket", async () => {
    const ask = await gatewayOf([
      { method: ["POST", "PUT", "POST"], path, policies: [quota("p", 2)] },
    ]);
    const statuses = [];
    for (const method of ["POST", "PUT", "POST", "PUT", "GET", "DELETE"]) {
      statuses.push((await ask(path, { method })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200, 200]);
  });

  test("without a method, or with `*`, are about all of them", async () => {
    const ask = await gatewayOf([
      { path: "/a", policies: [quota("a", 1)] },
      { method: ["*", "GET"], path: "/b", policies: [quota("b", 1)] },
    ]);
    for (const path of ["/a", "/b"]) {
      expect((await ask(path, { method: "PURGE" })).status).toBe(200);
      for (const method of ["GET", "HEAD", "OPTIONS", "POST", "DELETE", "PURGE"]) {
        expect([method, (await ask(path, { method })).status]).toEqual([method, 429]);
      }
    }
  });

  test("for GET are about HEAD, too, which reaches the origin as what it is", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, [{ method: "GET", path, policies: [quota("p", 2)] }]);
    const head = await ask(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("X-RateLimit-Remaining")).toBe("1");
    expect((await ask(path)).headers.get("X-RateLimit-Remaining")).toBe("0");
    const denied = await ask(path, { method: "HEAD" });
    expect([denied.status, await denied.text()]).toEqual([429, ""]);
    expect(origin.seen.map(({ method }) => method)).toEqual(["HEAD", "GET"]);
  });

  test.each([
    ["/rides/:id", "/rides/1 /rides/:id /rides/*", "/rides /rides/1/2 /ride/1"],
    ["/rides/:id/cancel", "/rides/1/cancel", "/rides/1 /rides/cancel /rides/1/cancel/2"],
    ["/api/*", "/api /api/ /api/a /api/a/b/c", "/ /apis /b/api"],
    ["/a/:x/*", "/a/1 /a/1/2/3", "/a /b/1"],
    ["/*", "/ /a /a/b", ""],
    ["/", "/", "/a"],
    ["/a.b+(c)|d$", "/a.b+(c)|d$", "/axb /a.b /d /a.bb(c)"],
    ["/Café", "/caf%C3%A9 /CAFÉ /café", "/cafe /caf%E9"],
    ["/trailing/", "/trailing /trailing/", "/trailing/x"],
    ["/api/login.*", "/api/login.json /API/LOGIN.x.y", "/api/login /api/login.json/x"],
    ["/api/login*", "/api/login /api/login.json /api/logins", "/api/log /api/login/x"],
    ["/a/*.php/*", "/a/x.php /a/.php/b/c", "/a/php /a/x.php5 /x.php"],
    ["/a-*-z", "/a-b-z /a--z", "/a-z /a-b-zz /xa-b-z"],
    ["/**/api/login", "/api/login /index.php/api/login /a/b/api/login", "/login /api/login/x"],
    ["/app/**/login", "/app/login /app/a/b/login", "/login /x/app/login /app"],
    ["/**/login*/*", "/login /a/login.php/b /a/b/logins", "/ /a/xlogin"],
    ["/**/:id/login", "/1/login /a/1/login", "/login"],
  ])("of %s cover %s and not %s", async (pattern, covered, others) => {
    const ask = await gatewayOf([{ path: pattern, policies: [quota("p", 100)] }]);
    const isLimited = async (path: string) => (await ask(path)).headers.has("RateLimit");
    for (const path of words(covered)) expect(await isLimited(path), path).toBe(true);
    for (const path of words(others)) expect(await isLimited(path), path).toBe(false);
  });

  test("that fail in a way nobody foresaw answer 500, and keep to themselves why", async () => {
    const log = vi.spyOn(console, "warn").mockReturnValue();
    const origin = await startOrigin();
    vi.spyOn(crypto.subtle, "digest").mockRejectedValue(new TypeError("secret of the inside"));
    const partition = ["header:x-api-key"];
    const ask = gatewayTo(origin.url, [{ path, partition, policies: [quota("p", 1)] }]);
    const failed = await ask(path, { headers: { "x-api-key": "k" } });
    expect([failed.status, failed.headers.get("Content-Type")]).toEqual([500, problem]);
    expect(await failed.json()).toEqual({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      detail: "The gateway failed to handle the request.",
    });
    expect(log.mock.calls).toEqual([
      ["tidegate: a request failed: secret of the inside: 1 request since the last such line."],
    ]);
    expect(origin.seen).toEqual([]);
    vi.restoreAllMocks();
  });
});
