import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { legendOf } from "./legend.ts";
import { regionOf } from "./visit.ts";

const on = useDashboard();

async function send(path: string, user: string, times: number, method: string): Promise<void> {
  for (let i = 0; i < times; i++) {
    const url = `${on.stack.workers[0]}${path}`;
    const response = await fetch(url, { method, headers: { "x-user-id": user } });
    await response.arrayBuffer();
  }
}

/** The legend of the picture of all requests. */
const shownOn = (page: Page) => legendOf(regionOf(page, "Requests by the minute"));

test("the numbers on the page are those of the requests, and of the origin", async () => {
  // Whether the stack works was asked with requests, too.
  const before = await shownOn(await on.open("#/"));
  const reached = async () => {
    const response = await fetch(`${on.stack.origin}/__counts`);
    const counts = (await response.json()) as Readonly<Record<string, number>>;
    return Object.values(counts).reduce((total, each) => total + each, 0);
  };
  const reachedBefore = await reached();
  await send("/rides/7", "anna", 8, "POST");
  await send("/rides/7", "bert", 2, "POST");
  await send("/search", "anna", 4, "GET");
  await send("/elsewhere", "anna", 6, "GET");
  const page = await on.open("#/");
  const now = await shownOn(page);
  const more = (name: string) => now[name]! - (before[name] ?? 0);
  expect([more("allowed"), more("denied"), more("passed")]).toEqual([3 + 2 + 4, 5, 6]);
  expect((await reached()) - reachedBefore).toBe(more("allowed") + more("passed"));

  const rules = regionOf(page, "By rule");
  const row = rules.getByRole("row").filter({ hasText: "POST /rides/*" });
  await expect.poll(() => row.getByRole("cell").nth(2).innerText()).toBe("5");
  const top = regionOf(page, "Denied most");
  await expect.poll(() => top.locator("tbody td:nth-child(2)").allInnerTexts()).toEqual(["rides"]);
  await row.getByRole("link").click();
  const said = regionOf(page, "What each policy said");
  await said.getByText(/^5 \(/).waitFor();
  const here = regionOf(page, "Denied most");
  await expect.poll(() => here.locator("tbody td:nth-child(2)").allInnerTexts()).toEqual(["rides"]);
});
