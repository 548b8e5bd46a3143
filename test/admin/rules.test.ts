import { expect, test } from "vitest";

import { ADMIN_TOKEN, DEPLOYED, documentOf, READ_TOKEN } from "../support/admin/administered.ts";
import { askAdmin } from "./ask.ts";
import { BY, changed, faultAt, NOW, putRules } from "./rules.ts";

test("the deployed rules are version 0", async () => {
  const { status, body, headers } = await askAdmin()("/rules");
  expect([status, body]).toEqual([200, { version: 0, source: "deployed", document: DEPLOYED }]);
  expect(headers.get("etag")).toBe('"0"');
  expect(headers.get("cache-control")).toBe("no-store");
  expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("a document is published as the next version, and says what changed", async () => {
  const ask = askAdmin();
  const first = await putRules(ask, 0, 50, "?note=calmer");
  expect([first.status, first.body]).toEqual([
    200,
    { version: 1, publishedAt: NOW, changes: [changed(100, 50)] },
  ]);
  expect(first.headers.get("etag")).toBe('"1"');
  const { body } = await ask("/rules", { token: READ_TOKEN });
  expect(body).toEqual({
    version: 1,
    publishedAt: first.body.publishedAt,
    by: BY,
    source: "live",
    document: documentOf(50),
  });
  const second = await putRules(ask, 1, 60);
  expect(second.body).toMatchObject({ version: 2, changes: [changed(50, 60)] });
  const history = await ask("/rules/history");
  expect(history.body).toEqual({
    versions: [
      { version: 2, publishedAt: NOW, by: BY, current: true },
      { version: 1, publishedAt: NOW, by: BY, note: "calmer", current: false },
    ],
  });
});

test("a document without its version is refused, and with another one, too", async () => {
  const ask = askAdmin();
  const without = await ask("/rules", { method: "PUT", body: documentOf(50) });
  expect([without.status, without.body.title]).toEqual([428, "Precondition Required"]);
  await putRules(ask, 0, 50);
  const late = await putRules(ask, 0, 70);
  expect([late.status, late.body.version]).toEqual([412, 1]);
  expect(late.headers.get("content-type")).toBe("application/problem+json");
  expect((await ask("/rules")).body.document).toEqual(documentOf(50));
  for (const etag of ["7", "*", 'W/"1"', '"1", "2"', '"01"', '"x"']) {
    const headers = { "If-Match": etag };
    const answer = await ask("/rules", { method: "PUT", body: documentOf(50), headers });
    expect([etag, answer.status]).toEqual([etag, 400]);
  }
});

test("a dry run lists the changes, and writes nothing", async () => {
  const ask = askAdmin();
  const dry = await ask("/rules?dry-run", {
    method: "PUT",
    body: documentOf(7),
    token: READ_TOKEN,
  });
  expect(dry).toMatchObject({ status: 200 });
  expect(dry.body).toEqual({ version: 0, changes: [changed(100, 7)], dryRun: true });
  expect((await putRules(ask, 3, 7, "?dry-run=true")).status).toBe(412);
  expect((await ask("/rules")).body.version).toBe(0);
  expect((await ask("/audit")).body.entries).toEqual([]);
});

test("a parameter that is misspelt publishes nothing", async () => {
  const ask = askAdmin();
  for (const query of ["?dryrun", "?dry-run=false", "?dry_run", "?note=a&note=b", "?Dry-Run"]) {
    const answer = await putRules(ask, 0, 7, query);
    expect([query, answer.status]).toEqual([query, 400]);
  }
  expect((await ask("/rules")).body.version).toBe(0);
});

test("every fault of a document is said, with its path", async () => {
  const ask = askAdmin();
  const rule = { path: "rides", policies: [{ algorithm: "fixed-window", limit: 0, window: "1m" }] };
  const headers = { "If-Match": '"0"' };
  const answer = await ask("/rules", { method: "PUT", body: { rules: [rule] }, headers });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toEqual([
    faultAt("rules[0].path", '"rides"'),
    faultAt("rules[0].policies[0].limit", "0"),
  ]);
  expect((await ask("/rules/draft", { method: "PUT", body: { rules: [rule] } })).status).toBe(422);
  expect((await ask("/rules/history")).body.versions).toEqual([]);
});

test("of the versions the newest fifty are kept", async () => {
  const ask = askAdmin();
  for (let version = 0; version < 53; version++) await putRules(ask, version, version + 1);
  const { versions } = (await ask("/rules/history")).body;
  expect(versions.map((each: { version: number }) => each.version)).toEqual(
    Array.from({ length: 50 }, (_, i) => 53 - i),
  );
  expect((await ask("/rules/diff?from=3&to=live")).status).toBe(404);
  expect((await ask("/rules/diff?from=4&to=5")).status).toBe(200);
});

test("a Redis that has lost its data gives no number twice", async () => {
  const enforced = { version: 7, revision: 1, source: "live", published: 7, ageMs: 10 } as const;
  const ask = askAdmin({ enforced: () => enforced });
  expect((await putRules(ask, 0, 10)).body.version).toBe(8);
});

test("the version in a pushed file is not kept, its schema is", async () => {
  const ask = askAdmin();
  const body = { $schema: "https://example.com/s.json", version: 3, ...documentOf(5) };
  await ask("/rules", { method: "PUT", body, headers: { "If-Match": '"0"' } });
  const { document } = (await ask("/rules")).body;
  expect(document).toEqual({ $schema: "https://example.com/s.json", ...documentOf(5) });
});

test("the isolate that wrote reads the rules at once, and an error there changes no answer", async () => {
  let refreshes = 0;
  const ask = askAdmin({
    refresh: async () => {
      refreshes++;
      throw new Error(ADMIN_TOKEN);
    },
  });
  expect((await putRules(ask, 0, 10)).status).toBe(200);
  // Before, because the store may have lost rules that this isolate holds, and after.
  expect(refreshes).toBe(2);
  // A dry run looks for entries that its rules would leave out, which another isolate may have put.
  expect((await putRules(ask, 1, 10, "?dry-run")).status).toBe(200);
  expect(refreshes).toBe(3);
});
