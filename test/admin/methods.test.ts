import { expect, test } from "vitest";

import { answerAdmin } from "../../src/admin/admin.ts";
import { administered, documentOf } from "../support/admin/administered.ts";
import { askAdmin, askingOf, requestOf, sharedRedis } from "./ask.ts";
import { BY, NOW } from "./rules.ts";

test.for([
  ["/rules", "GET, HEAD, PUT, DELETE"],
  ["/rules/draft", "GET, HEAD, PUT, POST"],
  ["/rules/publish", "POST"],
  ["/rules/rollback", "POST"],
  ["/rules/history", "GET, HEAD"],
  ["/rules/diff", "GET, HEAD"],
  ["/lists/allow", "GET, HEAD, PUT, DELETE"],
  ["/lists/deny", "GET, HEAD, PUT, DELETE"],
  ["/overrides", "GET, HEAD, PUT, DELETE"],
  ["/explain", "POST"],
  ["/identities/reset", "POST"],
  ["/partitions/history", "POST"],
  ["/audit", "GET, HEAD"],
  ["/health", "GET, HEAD"],
])("%s takes %s, and says so to any other method", async ([path, allowed]) => {
  const ask = askAdmin();
  for (const method of ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"]) {
    const { status, headers } = await ask(path!, { method });
    const isAllowed = allowed!.split(", ").includes(method);
    expect([method, status === 405]).toEqual([method, !isAllowed]);
    if (status === 405) expect([method, headers.get("allow")]).toEqual([method, allowed]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("access-control-allow-origin")).toBe(false);
  }
});

test("HEAD answers as GET, without the body", async () => {
  const answer = await askAdmin()("/rules", { method: "HEAD" });
  expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([200, "", '"0"']);
});

const NOWHERE = [
  "/nothing",
  "",
  "//rules",
  "/RULES",
  "/rules/draft/x",
  "/lists",
  "/lists/other",
  "/rules%2fdraft",
];
test.each(NOWHERE)("there is nothing at %s", async (path) => {
  const { status, body } = await askAdmin()(path);
  expect([status, body.title]).toEqual([404, "Not Found"]);
});

test("another version of the interface is not there", async () => {
  const { url, headers } = requestOf("/rules", {});
  const request = new Request(url.replace("/v1/", "/v2/"), { headers });
  expect((await answerAdmin(administered(sharedRedis()))(request, undefined)).status).toBe(404);
});

test("where the counts are in memory, routes that need a Redis say what to set", async () => {
  const ask = askingOf(administered(undefined));
  for (const [method, path, body] of [
    ["GET", "/rules"],
    ["PUT", "/rules?dry-run", documentOf(1)],
    ["PUT", "/rules/draft", documentOf(1)],
    ["POST", "/rules/publish"],
    ["POST", "/rules/rollback"],
    ["GET", "/rules/history"],
    ["GET", "/lists/deny"],
    ["PUT", "/lists/deny", { asn: 1 }],
    ["DELETE", "/overrides?id=0123456789abcdef"],
    ["GET", "/audit"],
    ["POST", "/identities/reset", { path: "/" }],
  ] as const) {
    const answer = await ask(path, { method, body });
    expect([path, answer.status, answer.body.detail]).toEqual([
      path,
      501,
      expect.stringContaining("a Redis or Durable Objects"),
    ]);
  }
  expect((await ask("/health")).body).toMatchObject({ status: "ok", store: "memory" });
  expect((await ask("/explain", { method: "POST", body: { path: "/" } })).status).toBe(200);
});

test("health says which rules are enforced", async () => {
  const live = {
    version: 3,
    revision: 9,
    source: "live",
    published: 4,
    ageMs: 120,
    error: "odd",
  } as const;
  const ask = askAdmin({
    enforced: () => ({ ...live, restoredAtMs: 0 }),
    fault: () => ({ code: "rules-not-in-force", detail: "odd", isFatal: false }),
    tokenReader: { error: () => "the status is 404" },
  });
  const { status, body } = await ask("/health");
  expect(status).toBe(200);
  const restored = { ...live, restoredAt: "1970-01-01T00:00:00.000Z" };
  expect(body).toMatchObject({
    status: "degraded",
    code: "rules-not-in-force",
    detail: "odd",
    keys: { error: "the status is 404" },
    store: "redis",
    breaker: "closed",
    live: restored,
  });
});

test("the cost of a described request, and the counts that a reset of its client forgets, are those of the gateway", async () => {
  const seen: unknown[] = [];
  const counts = [{ policy: "rides", partition: "x-user-id:42" }];
  const ask = askAdmin({ reset: async (request) => (seen.push(request), counts) });
  const body = { path: "/rides", headers: { "x-user-id": "42" }, ip: "192.0.2.7" };
  const answer = await ask("/identities/reset", { method: "POST", body });
  expect(answer.body).toEqual({ reset: counts });
  expect(seen).toEqual([body]);
  const changes = [{ type: "removed", path: "rides", before: "x-user-id:42" }];
  expect((await ask("/audit")).body.entries).toEqual([
    { n: 1, at: NOW, by: BY, action: "reset", changes },
  ]);
});
