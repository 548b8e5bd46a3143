import { expect, test, vi } from "vitest";

import { limited } from "../support/live/live-gateway.ts";
import { startFleet } from "./fleet.ts";

/** A publication of a newer version: it has an option that this one does not know. */
async function startAfterRollback() {
  const fleet = await startFleet();
  const { redis, keys, isolate } = fleet;
  const old = isolate();
  for (const [i, limit] of [10, 20].entries()) {
    await old.api("PUT", "/rules", limited(limit), { "If-Match": `"${i}"` });
  }
  const document = { ...limited(30), newer: true };
  const revision = Number(await redis.hget(keys.state, "revision")) + 1;
  const text = JSON.stringify(document);
  await redis.hset(
    keys.history,
    "3",
    `{"version":3,"publishedAt":1,"by":"admin:0","document":${text}}`,
  );
  await redis.hset(keys.history, "junk", "{", "4", "{");
  await redis.hset(keys.state, { revision, version: 3, document: text });
  return { ...fleet, old };
}

test("a fresh isolate enforces the newest version that it can compile, and says so", async () => {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { isolate, old } = await startAfterRollback();
  const fresh = isolate();
  expect(await fresh.ask("ada")).toBe("200 20");
  const { body } = await fresh.api("GET", "/health");
  expect(body).toMatchObject({ status: "degraded", live: { version: 2, source: "live" } });
  expect(body.live.error).toContain(
    "version 3 of the live rules has faults (1), the first at newer",
  );
  expect(body.live.error).toContain("Version 2 is in force");
  expect(logged.mock.calls.flat().join("\n")).toContain("Version 2 is in force");
  logged.mockRestore();

  // A block comes into force beside it in every isolate, and a publication repairs it.
  expect((await fresh.api("PUT", "/lists/deny", { identity: "x-user-id:mal" })).status).toBe(200);
  expect([await fresh.ask("mal"), await isolate().ask("mal"), await fresh.ask("ada")]).toEqual([
    "403",
    "403",
    "200 20",
  ]);
  const published = await old.api("PUT", "/rules", limited(40), { "If-Match": '"3"' });
  expect([published.status, published.body.version]).toEqual([200, 5]);
  const healthy = isolate();
  expect([await old.ask("ada"), await healthy.ask("ada")]).toEqual(["200 40", "200 40"]);
  expect((await healthy.api("GET", "/health")).body.status).toBe("ok");
});

test("while the history cannot be read, it is asked for again, and blocks are in force", async () => {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { redis, keys, isolate } = await startAfterRollback();
  await redis.rename(keys.history, `${keys.history}-aside`);
  await redis.set(keys.history, "planted");
  const fresh = isolate();
  await fresh.api("PUT", "/lists/deny", { identity: "x-user-id:mal" });
  expect([await fresh.ask("ada"), await fresh.ask("mal")]).toEqual(["200 5", "403"]);
  await redis.rename(`${keys.history}-aside`, keys.history);
  await fresh.api("PUT", "/lists/deny", { identity: "x-user-id:other" });
  expect(await fresh.ask("ada")).toBe("200 20");
  logged.mockRestore();
});
