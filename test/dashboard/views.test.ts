import { describe, expect, test } from "vitest";

import { hash } from "../../src/partition/key-text.ts";
import { lowContrastsOf, violationsOf } from "./axe.ts";
import { statsFor } from "./counts.ts";
import { useDashboard } from "./dashboard.ts";
import { rideOften } from "./rides.ts";
import { answerWith, confirm, regionOf } from "./visit.ts";

const on = useDashboard();

/** Each view with something that is there once it has been read. */
const VIEWS = [
  ["#/", "Requests by the minute"],
  ["#/rules", "Rules in force"],
  ["#/rules/0", "Use of the limits"],
  ["#/partition?method=POST&path=/rides/7&headers=x-user-id:42", "Explanation"],
  ["#/partition?method=POST&path=/rides/7&headers=x-user-id:42", "Under rides"],
  ["#/edit", "Document"],
  ["#/lists", "Overrides"],
  ["#/audit", "Audit"],
] as const;

const PHONE = { width: 390, height: 844 };

describe.each(VIEWS)("%s", (hash, region) => {
  test("it is no wider than a phone, and axe finds nothing, light or dark", async () => {
    const page = await on.open(hash, { counts: "incident" });
    await regionOf(page, region).waitFor();
    const desktop = page.viewportSize()!;
    await page.setViewportSize(PHONE);
    await expect
      .poll(() => page.evaluate("document.documentElement.scrollWidth"))
      .toBe(PHONE.width);
    // Nor does anything in it have to be scrolled sideways, but the text of rules.
    const cut = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("main *")]
          .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
          .filter((each) => getComputedStyle(each).overflowX !== "visible")
          .filter((each) => !each.closest(".cm-editor, select, .unseen"))
          .map((each) => each.outerHTML.slice(0, 120)),
      );
    // Plots take their new width once the page has been laid out.
    await expect.poll(cut).toEqual([]);

    await page.setViewportSize(desktop);
    for (const summary of await page.locator("summary").all()) await summary.click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await lowContrastsOf(page)).toEqual([]);
  });
});

test.each([390, 760, 761, 820, 940, 941, 1_280])(
  "at a width of %i all links of the header are seen, and no button is broken",
  async (width) => {
    const page = await on.open("#/", { context: { viewport: { width, height: 600 } } });
    await page.getByRole("link", { name: "Audit" }).waitFor();
    const sizes = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.querySelector(".top nav")!;
      const heights = [...document.querySelectorAll(".controls button")].map(
        (each) => each.getClientRects()[0]!.height,
      );
      return { hidden: scrollWidth - clientWidth, height: Math.max(...heights) };
    });
    expect(sizes.hidden).toBe(0);
    expect(sizes.height).toBeLessThan(40);
  },
);

test("axe finds no fault where a user signs in", async () => {
  const page = await on.open();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test("a gateway that does not count says so, and the rest works", async () => {
  const page = await on.open("#/");
  await answerWith(page, "stats?*", { title: "Not Implemented", status: 501 }, 501);
  await page.reload();
  await page.getByText("Metrics are off").waitFor();
  await page.getByText("Redis answers").waitFor();
});

test("while it is paused no request is sent, and again when it is live", async () => {
  const page = await on.open();
  await page.getByText("Denied most").first().waitFor();
  await page.clock.install();
  await page.reload();
  await page.getByText("Denied most").first().waitFor();
  let asked = 0;
  await page.route("**/api/v1/health", (route) => {
    asked++;
    return route.continue();
  });
  await page.getByRole("button", { name: "Live" }).click();
  await page.clock.runFor(60_000);
  expect(asked).toBe(0);
  const answered = page.waitForResponse("**/api/v1/health");
  await page.getByRole("button", { name: "Paused" }).click();
  await answered;
  const again = page.waitForResponse("**/api/v1/health");
  await page.clock.runFor(10_000);
  await again;
  expect(asked).toBe(2);
  // Nor where nobody looks at it.
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })");
  await page.clock.runFor(60_000);
  expect(asked).toBe(2);
});

test("the rules have blocked requests in a column of their own, apart from the denied ones", async () => {
  const page = await on.open("#/");
  const counted = (outcome: string, total: number) => ({
    rule: "POST /rides/*",
    outcome,
    reason: outcome,
    counts: [total, 1],
  });
  await page.route("**/api/v1/stats?*", async (route) => {
    const made = statsFor(new URL(route.request().url())) as object;
    const requests = [counted("allowed", 1_196), counted("denied", 39), counted("blocked", 1_259)];
    await route.fulfill({ json: { ...made, requests } });
  });
  await page.getByRole("link", { name: "Rules", exact: true }).click();
  const table = page.getByRole("region", { name: "Rules in force" }).getByRole("table");
  const row = table.getByRole("row").filter({ hasText: "POST /rides/*" });
  await row.getByText("2,497").waitFor();
  expect(await table.getByRole("columnheader").allInnerTexts()).toEqual([
    "rule",
    "policies",
    "counts by",
    "requests",
    "denied",
    "blocked",
  ]);
  const cells = await row.getByRole("cell").allInnerTexts();
  expect(cells.slice(-3)).toEqual(["2,497", "40 (1.6 %)", "1,260"]);
  const quiet = table.getByRole("row").filter({ hasText: "/search" });
  expect((await quiet.getByRole("cell").allInnerTexts()).slice(-3)).toEqual(["0", "0", "0"]);
});

test("blocks that were met before any rule are said beside the rules, and the others by rule", async () => {
  const [listed, digested] = ["mallory", "trudy"];
  const block = async (entry: object) =>
    expect((await on.ask("PUT", "/lists/deny", entry)).status).toBe(200);
  await block({ identity: `x-user-id:${listed}` });
  await block({ digest: `x-user-id:${await hash(digested)}` });
  await rideOften(on.stack, listed, 4);
  await rideOften(on.stack, digested, 2);
  const page = await on.open("#/rules");
  const rules = page.getByRole("region", { name: "Rules in force" });
  const row = rules.getByRole("row").filter({ hasText: "POST /rides/*" });
  await expect.poll(() => row.getByRole("cell").last().innerText()).toBe("2");
  await rules
    .getByText("Lists blocked 4 more requests before a rule was looked up for them.")
    .waitFor();
});

test("the header says which view it is, and keeps the time range and the colours", async () => {
  const page = await on.open("#/rules/0", { context: { colorScheme: "light" } });
  const current = page.getByRole("navigation", { name: "Views" }).locator("[aria-current]");
  expect(await current.allInnerTexts()).toEqual(["Rules"]);
  const live = page.getByRole("button", { name: "Live", exact: true });
  expect(await live.getAttribute("aria-pressed")).toBe("true");
  await live.click();
  const paused = page.getByRole("button", { name: "Paused", exact: true });
  expect(await paused.getAttribute("aria-pressed")).toBe("false");
  await page.getByLabel("Time range").selectOption("6h");
  const background = () =>
    page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor");
  const light = await background();
  await page.getByLabel("Colours").selectOption("dark");
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  await page.reload();
  await page.locator(".card").first().waitFor();
  expect(await background()).toBe(dark);
  expect(await page.getByLabel("Time range").inputValue()).toBe("6h");
  expect(await page.getByLabel("Colours").inputValue()).toBe("dark");
});

test("another view begins at its top", async () => {
  const page = await on.open("#/", { context: { viewport: { width: 1_280, height: 250 } } });
  await regionOf(page, "Denied most").waitFor();
  await page.evaluate("scrollTo(0, 200)");
  // A view that is as long at once.
  await page.getByRole("link", { name: "Client" }).evaluate((link: HTMLElement) => link.click());
  await page.getByLabel("Path and query").waitFor();
  await expect.poll(() => page.evaluate("scrollY")).toBe(0);
});

test("what Undo takes back is offered for twenty seconds, and a message alone is shown for six", async () => {
  const page = await on.open("#/lists");
  await on.ask("PUT", "/lists/deny", { identity: "x-user-id:undone" });
  await page.clock.install();
  await page.reload();
  await confirm(page, "Remove x-user-id:undone", "Remove");
  const undo = page.getByRole("button", { name: "Undo", exact: true });
  await undo.waitFor();
  await page.clock.runFor(19_000);
  expect(await undo.count()).toBe(1);
  await undo.click();
  const said = page.getByRole("status").getByText("In force again");
  await said.waitFor();
  await page.clock.runFor(5_000);
  expect(await said.count()).toBe(1);
  await page.clock.runFor(2_000);
  await expect.poll(() => said.count()).toBe(0);
});

test("of a write with many changes the audit counts those that are not kept, too", async () => {
  const page = await on.open("#/rules");
  const write = {
    at: "2031-01-01T09:00:00.000Z",
    by: "admin:01234567",
    action: "publish",
    version: 3,
    changes: [{ type: "added", path: "rules[0]", after: {} }],
    omitted: 41,
  };
  await answerWith(page, "audit", { entries: [write] });
  await page.getByRole("link", { name: "Audit" }).click();
  await page.locator("td summary").getByText("42").click();
  await page.getByText("41 more are not kept.").waitFor();
});
