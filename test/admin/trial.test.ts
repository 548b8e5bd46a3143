import { expect, test } from "vitest";

import { DEPLOYED, documentOf } from "../support/admin/administered.ts";
import { type Ask, askAdmin } from "./ask.ts";
import { changed, NOW, putRules } from "./rules.ts";

/*
 * The calls about a version that a part of the clients has.
 */

const side = (decided: number, denied: number) => ({ decided, denied });
const NONE = { tried: side(0, 0), others: side(0, 0) };
const post = (ask: Ask, path: string, body: object = {}) => ask(path, { method: "POST", body });
const raise = (ask: Ask, body: object, headers = {}) =>
  ask("/rules/trial", { method: "PUT", body, headers });

test("a version is published to a part, read beside that of the others, raised, and given to all", async () => {
  const ask = askAdmin();
  await putRules(ask, 0, 50);
  const tried = await putRules(ask, 1, 60, "?percent=10&max-denied=0.05&note=try");
  expect([tried.status, tried.body]).toEqual([
    200,
    { version: 2, publishedAt: NOW, changes: [changed(50, 60)] },
  ]);
  const read = await ask("/rules");
  expect(read.headers.get("etag")).toBe('"2"');
  expect(read.body).toMatchObject({ version: 1, document: documentOf(50) });
  expect(read.body.trial).toEqual({
    version: 2,
    publishedAt: NOW,
    percent: 10,
    maxDenied: 0.05,
    counts: NONE,
  });
  expect((await ask("/rules/history")).body.versions).toMatchObject([
    { version: 2, current: false, tried: true, note: "try" },
    { version: 1, current: true },
  ]);
  const raised = await raise(ask, { percent: 50 });
  expect([raised.status, raised.body]).toEqual([
    200,
    { version: 2, publishedAt: NOW, changes: [changed(50, 60)] },
  ]);
  expect((await ask("/rules")).body.trial).toMatchObject({ percent: 50, maxDenied: 0.05 });
  expect((await raise(ask, { percent: 100 }, { "If-Match": '"2"' })).status).toBe(200);
  const all = (await ask("/rules")).body;
  expect(all).toMatchObject({ version: 2, document: documentOf(60) });
  expect(all).not.toHaveProperty("trial");
  expect((await raise(ask, { percent: 50 })).status).toBe(404);
  expect((await ask("/audit")).body.entries).toMatchObject([
    { version: 2, action: "give 2 to 100 percent" },
    { version: 2, action: "give 2 to 50 percent" },
    { version: 2, action: "publish to 10 percent", changes: [changed(50, 60)] },
    { version: 1, action: "publish" },
  ]);
});

test("a draft is published to a part, also over the deployed rules, and a rollback takes it back", async () => {
  const ask = askAdmin();
  await ask("/rules/draft", { method: "PUT", body: documentOf(20) });
  const published = await post(ask, "/rules/publish", { percent: 1 });
  expect(published.body).toMatchObject({ version: 1, changes: [changed(100, 20)] });
  expect((await ask("/rules")).body).toMatchObject({
    version: 0,
    source: "deployed",
    document: DEPLOYED,
    trial: { version: 1, percent: 1 },
  });
  const back = await post(ask, "/rules/rollback", { note: "too strict" });
  expect([back.status, back.body]).toEqual([
    200,
    { version: 0, publishedAt: NOW, changes: [changed(20, 100)], takenBack: 1 },
  ]);
  expect((await ask("/rules")).body).toEqual({
    version: 0,
    source: "deployed",
    document: DEPLOYED,
  });
  expect((await ask("/audit")).body.entries[0]).toMatchObject({
    action: "take back 1",
    changes: [{ type: "added", path: "note", after: "too strict" }],
  });
  expect((await post(ask, "/rules/rollback")).status).toBe(404);
});

test("whoever does not know of a version that is tried replaces nothing; whoever does takes it back", async () => {
  const ask = askAdmin();
  await putRules(ask, 0, 50);
  await ask("/rules/draft", { method: "PUT", body: documentOf(70) });
  await putRules(ask, 1, 60, "?percent=10");
  const one = { "If-Match": '"1"' };
  for (const refused of [
    await putRules(ask, 1, 70),
    await ask("/rules", { method: "DELETE", headers: one }),
    await post(ask, "/rules/publish"),
    await ask("/rules/rollback", { method: "POST", body: { to: 0 }, headers: one }),
    await raise(ask, { percent: 20 }, one),
  ]) {
    expect([refused.status, refused.body.version]).toEqual([412, 2]);
  }
  expect((await putRules(ask, 1, 70)).body.detail).toMatch(/^Version 2 is tried on 10 percent/);
  expect((await putRules(ask, 2, 70)).body).toMatchObject({ version: 3 });
  await putRules(ask, 3, 80, "?percent=10");
  expect((await post(ask, "/rules/rollback", { to: 1 })).body).toMatchObject({ version: 5 });
  expect((await ask("/rules/history")).body.versions.map(stateOf)).toEqual([
    "5 live",
    "4 taken back",
    "3 ",
    "2 taken back",
    "1 ",
  ]);
  await putRules(ask, 5, 90, "?percent=10");
  const six = { "If-Match": '"6"' };
  expect((await ask("/rules", { method: "DELETE", headers: six })).status).toBe(204);
  expect((await ask("/rules")).body).toMatchObject({ version: 0, source: "deployed" });
});

test("a rollback passes by a version that was taken back, and never was live for all", async () => {
  const ask = askAdmin();
  await putRules(ask, 0, 50, "?percent=10");
  await post(ask, "/rules/rollback");
  await putRules(ask, 0, 60);
  const deployed = await post(ask, "/rules/rollback");
  expect(deployed.body).toMatchObject({ version: 3, changes: [changed(60, 100)] });
  await putRules(ask, 3, 70, "?percent=10");
  await post(ask, "/rules/rollback");
  await putRules(ask, 3, 80);
  const before = await post(ask, "/rules/rollback");
  expect(before.body).toMatchObject({ version: 6, changes: [changed(80, 100)] });
});

const stateOf = (of: { version: number; current: boolean; takenBack?: boolean }) =>
  `${of.version} ${of.current ? "live" : ""}${of.takenBack ? "taken back" : ""}`;

test.each([
  ["percent=0", "percent"],
  ["percent=100", "percent"],
  ["percent=1.5", "percent"],
  ["percent=", "percent"],
  ["percent=ten", "percent"],
  ["max-denied=0.1", "maxDenied"],
  ["percent=5&max-denied=1", "maxDenied"],
  ["percent=5&max-denied=-0.1", "maxDenied"],
  ["percent=5&max-denied=5%25", "maxDenied"],
])("a publication with %s is refused, and its fault is at %s", async (query, path) => {
  const ask = askAdmin();
  const { status, body } = await putRules(ask, 0, 50, `?${query}`);
  expect([status, body.errors.map((error: { path: string }) => error.path)]).toEqual([422, [path]]);
  const named = Object.fromEntries(new URLSearchParams(query.replace("max-denied", "maxDenied")));
  await ask("/rules/draft", { method: "PUT", body: documentOf(20) });
  expect((await post(ask, "/rules/publish", named)).status).toBe(422);
  expect((await ask("/rules")).body.version).toBe(0);
});

test.each([
  {},
  { percent: 0 },
  { percent: 101 },
  { percent: "50" },
  { percent: 5, maxDenied: 0.5 },
])("a trial is not raised to %j", async (body) => {
  const ask = askAdmin();
  await putRules(ask, 0, 50, "?percent=10");
  expect((await raise(ask, body)).status).toBe(422);
  expect((await ask("/rules")).body.trial.percent).toBe(10);
});
