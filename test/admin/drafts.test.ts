import { expect, test } from "vitest";

import { DEPLOYED, documentOf } from "../support/admin/administered.ts";
import { askAdmin } from "./ask.ts";
import { BY, changed, NOW, putRules } from "./rules.ts";

test("a draft is kept, compared, and published while it is based on the published version", async () => {
  const ask = askAdmin();
  expect((await ask("/rules/draft")).status).toBe(404);
  expect((await ask("/rules/publish", { method: "POST" })).status).toBe(404);
  const saved = await ask("/rules/draft", { method: "PUT", body: documentOf(20) });
  const { savedAt } = saved.body;
  const changes = [changed(100, 20)];
  expect([saved.status, saved.body]).toEqual([200, { basedOn: 0, savedAt: NOW, changes }]);
  const draft = { basedOn: 0, savedAt, by: BY, document: documentOf(20) };
  expect((await ask("/rules/draft")).body).toEqual(draft);
  expect((await ask("/rules/diff")).body).toEqual({ from: "live", to: "draft", changes });
  expect((await ask("/rules")).body.version).toBe(0);
  const published = await ask("/rules/publish", { method: "POST", body: { note: "from a draft" } });
  expect(published.status).toBe(200);
  expect(published.body).toEqual({ version: 1, publishedAt: NOW, changes });
  expect((await ask("/rules/draft")).status).toBe(404);

  await ask("/rules/draft", { method: "POST", body: documentOf(30) });
  await putRules(ask, 1, 40);
  const late = await ask("/rules/publish", { method: "POST" });
  expect([late.status, late.body.version]).toEqual([412, 2]);
  expect((await ask("/rules/draft")).body.basedOn).toBe(1);
});

test("a draft stays if another document is published", async () => {
  const ask = askAdmin();
  await ask("/rules/draft", { method: "PUT", body: documentOf(20) });
  await putRules(ask, 0, 30);
  expect((await ask("/rules/draft")).body.document).toEqual(documentOf(20));
  await putRules(ask, 1, 20);
  expect((await ask("/rules/draft")).status).toBe(404);
});

test("a draft that has to be based on another version is not kept", async () => {
  const ask = askAdmin();
  const headers = { "If-Match": '"3"' };
  const answer = await ask("/rules/draft", { method: "PUT", body: documentOf(20), headers });
  expect([answer.status, answer.body.version]).toEqual([412, 0]);
  expect((await ask("/rules/draft")).status).toBe(404);
});

test("a draft is not published where the call is based on another version", async () => {
  const ask = askAdmin();
  await ask("/rules/draft", { method: "PUT", body: documentOf(20) });
  const publishing = (version: number) =>
    ask("/rules/publish", { method: "POST", headers: { "If-Match": `"${version}"` } });
  const refused = await publishing(4);
  expect([refused.status, refused.body.version]).toEqual([412, 0]);
  expect((await ask("/rules")).body.version).toBe(0);
  expect((await publishing(0)).status).toBe(200);
});

test("a rollback publishes an older version as a new one", async () => {
  const ask = askAdmin();
  const rollBack = (body?: object, headers = {}) =>
    ask("/rules/rollback", { method: "POST", body, headers });
  expect((await rollBack()).status).toBe(404);
  await putRules(ask, 0, 10);
  await putRules(ask, 1, 20);
  await putRules(ask, 2, 30);
  const before = await rollBack();
  expect(before.status).toBe(200);
  expect(before.body).toEqual({ version: 4, publishedAt: NOW, changes: [changed(30, 20)] });
  expect((await ask("/audit")).body.entries[0].action).toBe("rollback to 2");
  const first = (await rollBack({ to: 1, note: "the first" })).body;
  expect(first).toMatchObject({ version: 5, changes: [changed(20, 10)] });
  expect((await rollBack({ to: 99 })).status).toBe(404);
  expect((await rollBack({ to: -1 })).status).toBe(422);
  expect((await rollBack({ unknown: 1 })).status).toBe(422);
  expect((await rollBack({ to: 2 }, { "If-Match": '"4"' })).status).toBe(412);
  const deployed = { version: 6, changes: [changed(10, 100)] };
  expect((await rollBack({ to: 0 })).body).toMatchObject(deployed);
  expect((await ask("/rules")).body.document).toEqual(DEPLOYED);
  const [audited] = (await ask("/audit")).body.entries;
  expect(audited).toMatchObject({ action: "rollback to 0", ...deployed });
});

test("the first version is rolled back to the deployed rules", async () => {
  const ask = askAdmin();
  await putRules(ask, 0, 10);
  const answer = await ask("/rules/rollback", { method: "POST" });
  expect(answer.body).toMatchObject({ version: 2, changes: [changed(10, 100)] });
});

test("any two of live, deployed, draft and kept versions are compared", async () => {
  const ask = askAdmin();
  await putRules(ask, 0, 10);
  await putRules(ask, 1, 20);
  await ask("/rules/draft", { method: "PUT", body: documentOf(30) });
  const diff = async (from: string, to: string) =>
    (await ask(`/rules/diff?from=${from}&to=${to}`)).body;
  expect(await diff("1", "2")).toEqual({ from: "1", to: "2", changes: [changed(10, 20)] });
  expect((await diff("deployed", "draft")).changes).toEqual([changed(100, 30)]);
  expect((await diff("0", "live")).changes).toEqual([changed(100, 20)]);
  expect((await diff("live", "live")).changes).toEqual([]);
  expect((await ask("/rules/diff?from=7&to=live")).status).toBe(404);
  expect((await ask("/rules/diff?from=main&to=live")).status).toBe(400);
});
