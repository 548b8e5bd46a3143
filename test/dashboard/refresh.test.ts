import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { readAgain, regionOf } from "./visit.ts";

const on = useDashboard();

/** Answers `/top` with twelve clients, each with more denials every time. */
async function growingTop(page: Page) {
  const state = { times: 0, status: 200 };
  await page.route("**/api/v1/top?*", (route) => {
    state.times++;
    const partitions = Array.from({ length: 12 }, (_, i) => ({
      policy: "rides",
      partition: `x-user-id:client-${i}`,
      count: 1_000 * state.times + i,
    }));
    return route.fulfill(
      state.status === 200
        ? { json: { kind: "denied", from: "", to: "", partitions } }
        : { status: state.status, json: { title: "Bad Gateway", status: state.status } },
    );
  });
  return state;
}

const top = (page: Page) => regionOf(page, "Denied most");
const first = (page: Page) => top(page).locator("tbody tr").first().locator("td").last();

test("a table of as many rows as before shows the new numbers, filtered or not", async () => {
  const page = await on.open("#/audit");
  const state = await growingTop(page);
  await page.getByRole("link", { name: "Overview" }).click();
  await first(page).waitFor();
  const before = Number((await first(page).innerText()).replaceAll(",", ""));
  await readAgain(page);
  const now = async () => Number((await first(page).innerText()).replaceAll(",", ""));
  await expect.poll(now).toBeGreaterThan(before);
  await top(page).getByLabel("Filter").fill("client-7");
  await expect.poll(() => top(page).locator("tbody tr").count()).toBe(1);
  const filtered = await now();
  await readAgain(page);
  await expect.poll(now).toBeGreaterThan(filtered);
  expect(await top(page).getByLabel("Filter").inputValue()).toBe("client-7");
  await top(page).getByText("1 of 12").waitFor();
  expect(state.times).toBeGreaterThan(4);
});

test("a refresh that fails leaves the card as it was, and says so; the next one that works says nothing", async () => {
  const page = await on.open("#/audit");
  const state = await growingTop(page);
  await page.getByRole("link", { name: "Overview" }).click();
  await first(page).waitFor();
  state.status = 502;
  await readAgain(page);
  await top(page).getByRole("alert").waitFor();
  expect(await top(page).locator("tbody tr").count()).toBe(12);
  state.status = 200;
  await top(page).getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => top(page).getByRole("alert").count()).toBe(0);
  expect(await top(page).locator("tbody tr").count()).toBe(12);
});

test("an answer about another time range does not show as the one that is asked for", async () => {
  const page = await on.open("#/", { counts: "incident" });
  await regionOf(page, "Requests by the minute").waitFor();
  const { promise: waits, resolve: letGo } = Promise.withResolvers<void>();
  await page.route("**/api/v1/stats?*", async (route) => {
    if (route.request().url().includes("step=hour")) await waits;
    await route.fallback();
  });
  await page.getByLabel("Time range").selectOption("24h");
  await page.getByText("Reading what was counted…").waitFor();
  expect(await page.getByRole("region", { name: /^Requests by/ }).count()).toBe(0);
  // Back before the answer has come: it is not shown any more.
  await page.getByLabel("Time range").selectOption("1h");
  await regionOf(page, "Requests by the minute").waitFor();
  letGo();
  await page.waitForResponse(/step=hour/).catch(() => {});
  expect(await page.getByRole("region", { name: "Requests by the hour" }).count()).toBe(0);
});
