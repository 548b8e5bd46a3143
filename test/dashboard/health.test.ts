import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { readAgain, regionOf } from "./visit.ts";

/*
 * What the overview says of the control store, and of what an isolate cannot read.
 */

const on = useDashboard();

/** A page whose health is the gateway's with these changes, which may change. */
async function openWith(changes: { health: object; live: object }) {
  const page = await on.open("#/audit");
  await page.route("**/api/v1/health", async (route) => {
    const answer = (await (await route.fetch()).json()) as { live: object };
    const live = { ...answer.live, ...changes.live };
    await route.fulfill({ json: { ...answer, ...changes.health, live } });
  });
  await page.getByRole("link", { name: "Overview" }).click();
  await readAgain(page);
  return page;
}

test("the overview says where live rules are, and whether a restart loses them", async () => {
  const changes = { health: {}, live: {} };
  const page = await openWith(changes);
  const health = regionOf(page, "Health");
  // Of the stack's own Redis.
  await health.getByText("Live rules in the Redis of the counts: kept in snapshots").waitFor();
  for (const [control, said] of [
    [{ store: "redis", own: true, persistence: "aof" }, "a Redis of their own: kept in an append"],
    [{ store: "redis", own: true, persistence: "rdb" }, "a Redis of their own: kept in snapshots"],
    [{ store: "redis", own: false, persistence: "none" }, "the counts: a restart loses them"],
    [{ store: "redis", own: false, persistence: "unknown" }, "whether a restart loses them is not"],
    [{ store: "durable-object", own: false, persistence: "managed" }, "a Durable Object: kept by"],
  ] as const) {
    changes.health = { control };
    await readAgain(page);
    await health.getByText(said).waitFor();
  }
  changes.health = { control: undefined };
  await readAgain(page);
  await health.getByText("Live rules in").waitFor({ state: "detached" });
});

test("live rules that a gateway has put back are told with the time, and lead to the audit", async () => {
  const page = await openWith({
    health: { status: "degraded", code: "rules-restored", detail: "lost" },
    live: { restoredAt: "2031-01-01T09:30:00.000Z" },
  });
  const lost = regionOf(page, "Health").getByText("Live rules were lost there, and put back at");
  await lost.waitFor();
  expect(await lost.textContent()).toContain("1 Jan 2031");
  await lost.getByRole("link", { name: "the audit" }).click();
  await page.getByRole("heading", { name: /^Audit/ }).waitFor();
});

test("keys of tokens that cannot be read are told with the reason", async () => {
  const page = await openWith({
    health: { status: "degraded", keys: { error: "the status is 404. No token is verified." } },
    live: {},
  });
  const health = regionOf(page, "Health");
  await health.getByText("The keys of tokens cannot be read: the status is 404.").waitFor();
  await health.getByText("Redis answers").waitFor();
});

test("a region is told with its name, and with its error while home decides for it", async () => {
  const changes = { health: {}, live: {} };
  const page = await openWith(changes);
  const health = regionOf(page, "Health");
  await health.getByText("Redis answers").waitFor();
  expect(await health.getByText("Region").count()).toBe(0);
  changes.health = { regions: [{ name: "fra" }] };
  await readAgain(page);
  await health.getByText("Region fra answers").waitFor();
  changes.health = { regions: [{ name: "fra" }, { name: "syd", code: "ERR_STORE_TIMEOUT" }] };
  await readAgain(page);
  await health
    .getByText("Region syd gives no answer (ERR_STORE_TIMEOUT): home decides its requests")
    .waitFor();
  await health.getByText("Region fra answers").waitFor();
});
