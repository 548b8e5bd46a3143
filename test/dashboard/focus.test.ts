import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { rideOften } from "./rides.ts";

const on = useDashboard();

const VIEWS = [
  "#/",
  "#/rules",
  "#/rules/0",
  "#/partition",
  "#/partition?method=POST&path=/rides/7&headers=x-user-id:1",
  "#/edit",
  "#/lists",
  "#/audit",
];

// Notes each node that left the page and came back, which costs a field its focus.
const WATCH = `
  window.moved = [];
  const removed = new Set();
  new MutationObserver((records) => {
    for (const { addedNodes, removedNodes } of records) {
      for (const node of removedNodes) removed.add(node);
      for (const node of addedNodes) if (removed.has(node)) moved.push((node.outerHTML ?? node.data).slice(0, 80));
    }
  }).observe(document.body, { childList: true, subtree: true });
`;

test.each(VIEWS)("reading %s anew moves nothing, so that a field keeps its focus", async (hash) => {
  await rideOften(on.stack, "an-abuser", 4);
  const page = await on.open(hash);
  await page.waitForLoadState("networkidle");
  await page.evaluate(WATCH);
  for (let round = 0; round < 3; round++) {
    const read = page.waitForResponse((response) => response.url().endsWith("/health"));
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await read;
    await page.waitForLoadState("networkidle");
  }
  expect(await page.evaluate("moved")).toEqual([]);
});

test("text typed while the page reads anew ends in the field", async () => {
  const page = await on.open("#/partition");
  await page.getByLabel("Path and query").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("/sea");
  const read = page.waitForResponse((response) => response.url().endsWith("/health"));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await read;
  await page.waitForLoadState("networkidle");
  await page.keyboard.type("rch");
  expect(await page.getByLabel("Path and query").inputValue()).toBe("/search");
});

test("a button that was pressed by the keyboard keeps the focus", async () => {
  const page = await on.open("#/partition");
  await page.getByLabel("Path and query").fill("/search");
  await page.getByRole("button", { name: "Explain" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Explain");
});
