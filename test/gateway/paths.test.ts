import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readPath } from "../../src/worker/path.ts";
import { compileRoute } from "../../src/worker/route.ts";
import { gatewayTo, quota, startOrigin } from "./gateway.ts";

/** Other ways to write /api/login, which one origin or another takes for it. */
const spellings = [
  "/api/login/",
  "//api/login",
  "/api//login",
  "///api////login//",
  "/API/Login",
  "/api/logi%6E",
  "/%61%70%69/%6c%6F%67%69%6e",
  "/api%2Flogin",
  "/api%2flogin%2F",
  "/api/%6Cogin",
  "/api/%256Cogin",
  "/api%252Flogin",
  "/api%25%32%46login",
  "/api/x%2F..%2Flogin",
  "/api/x/%252e%252e/login",
  "/api/x%2f%2e%2e%2flogin",
  "/api/%2e%2flogin",
  "/api%5Clogin",
  "/api%5C..%5Capi%5Clogin",
  "/api/login;jsessionid=1",
  "/api;v=1/login;x",
  "/;x/api/login",
  "/x/..;/api/login",
  "/api/login%3Bx",
  "/api/x%ff%2f..%2flogin",
  "/api%2f%ff%2f..%2flogin",
  "/api/%EF%BB%BF%2f..%2flogin",
  "/api/%%2f..%2flogin",
];

/** Other paths, whatever the origin is. */
const others = [
  "/api/login2",
  "/api/log",
  "/api/log-in",
  "/api/login/x",
  "/api/login%2Fx",
  "/api",
  "/api/login%00",
  "/api/login%20",
  "/api/login%ff",
  "/login",
  "/api.login",
];

const encode = (text: string) => `%${text.charCodeAt(0).toString(16)}`;
const twice = (text: string) => encode(text).replace("%", "%25");

/** A letter as it is, as a capital, and escaped up to two times. */
function spelled(letter: string) {
  const escaped = encode(letter);
  return fc.constantFrom(
    letter,
    letter.toUpperCase(),
    escaped,
    escaped.toUpperCase(),
    twice(letter),
  );
}

describe("a limited path", () => {
  const rules = [{ method: "POST", path: "/api/login", policies: [quota("login", 1)] }];

  it.each(spellings)("is limited as %s, which the origin gets as it was sent", async (spelling) => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rules);
    expect((await ask(`${spelling}?a=%2F&b`, { method: "POST" })).status).toBe(200);
    expect(origin.seen.map(({ target }) => target)).toEqual([`${spelling}?a=%2F&b`]);
    expect((await ask("/api/login", { method: "POST" })).status).toBe(429);
  });

  it.each(others)("is not limited as %s", async (other) => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rules);
    const { status, headers } = await ask(other, { method: "POST" });
    expect([status, headers.has("RateLimit")]).toEqual([200, false]);
    expect(origin.seen.map(({ target }) => target)).toEqual([other]);
  });

  it("does not escape by any mixture of these", () => {
    const covers = compileRoute({ methods: ["*"], path: "/api/login" });
    const slash = fc.constantFrom(
      "/",
      "//",
      "/./",
      "%2f",
      "%5C",
      "%252F",
      "/x/..%2f",
      ";a=b/",
      "/%2e/",
    );
    const path = fc.tuple(
      slash,
      ...[..."api"].map(spelled),
      slash,
      ...[..."login"].map(spelled),
      fc.constantFrom("", "/", "//", ";x", "%2F"),
    );
    fc.assert(
      fc.property(path, (pieces) => {
        const { pathname } = new URL(`http://gateway.example/${pieces.join("")}`);
        expect([pathname, covers("GET", readPath(pathname))]).toEqual([pathname, true]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a limited path with a name in it", () => {
  it("is limited whatever stands for the name, also what looks like more segments or fewer", () => {
    const covers = compileRoute({ methods: ["*"], path: "/files/:id" });
    const id = fc.string({
      unit: fc.constantFrom("%2f", "%2F", "%5c", "%2e", "a", ";", "%252f", "%ff", "é"),
    });
    fc.assert(
      fc.property(id, (id) => {
        const { pathname } = new URL(`http://gateway.example/files/x${id}`);
        expect([pathname, covers("GET", readPath(pathname))]).toEqual([pathname, true]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("dots that an origin may take for names", () => {
  it.each(["/users/a/%2e%2e%2fb", "/users/a%2f..%2fb", "/users%2fa%2f.%2fb"])(
    "count as segments, too: %s",
    (pathname) => {
      const covers = compileRoute({ methods: ["*"], path: "/users/:id/:action/b" });
      expect(covers("GET", readPath(pathname))).toBe(true);
    },
  );
});

describe("any path", () => {
  it("has a handful of readings, however long it is, and never fails", () => {
    const piece = fc.constantFrom(
      "/",
      "%",
      "%2",
      "%2f",
      "%25",
      ";",
      "..",
      ".",
      "a",
      "%ff",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 300 }), (path) => {
        expect(readPath(path).length).toBeLessThanOrEqual(12);
      }),
    );
  });

  it("without anything to decode has one", () => {
    expect(readPath("/Api//rides/./42/")).toEqual([["api", "rides", ".", "42"]]);
  });
});

const rulesForNothing = [{ path: "/nothing", policies: [quota("nothing", 1)] }];

describe("a path that names a host", () => {
  it.each([
    "//evil.example/x",
    "///evil.example",
    "/\\evil.example/x",
    "/@evil.example/",
    "/:80@evil.example",
    "/.evil.example/",
    "/%2f%2fevil.example",
    "/http://evil.example",
  ])("stays with the origin: %s", async (path) => {
    const origin = await startOrigin();
    const ask = gatewayTo(`${origin.url}/base/`, rulesForNothing);
    expect((await ask(path)).status).toBe(200);
    const { pathname } = new URL(`http://gateway.example${path}`);
    expect(origin.seen.map(({ target }) => target)).toEqual([`/base${pathname}`]);
  });
});

describe("the gateway's own paths", () => {
  it.each([
    "/_tidegate",
    "/_tidegate/",
    "/_tidegate/x",
    "//_tidegate/x",
    "/_TIDEGATE/health/x",
    "/%5Ftidegate/x",
    "/x/..;/_tidegate",
    "/_tidegate%2Fhealth",
  ])("never reach the origin: %s", async (path) => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rulesForNothing);
    for (const method of ["GET", "POST"]) {
      const answer = await ask(path, { method });
      expect(answer.status).toBe(404);
      expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
      expect(await answer.json()).toMatchObject({ title: "Not Found", status: 404 });
    }
    expect(origin.seen).toEqual([]);
  });
});
