import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { editorOf } from "./editor.ts";
import { regionOf } from "./visit.ts";

const on = useDashboard();

const MANY = 1_000;

/** How long the page takes from an input until it has been painted, in milliseconds; said, as machines differ. */
async function timed(page: Page, what: string, act: string): Promise<void> {
  const ms = (await page.evaluate(`(async () => {
    const began = performance.now();
    ${act};
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - began;
  })()`)) as number;
  console.log(`${what}: ${ms.toFixed(0)} ms`);
}

test("a thousand rules and a thousand entries are paged, filtered and edited", async () => {
  const rules = Array.from({ length: MANY }, (_, i) => ({
    method: "GET",
    path: `/api/resource-${i}/*`,
    partition: ["ip"],
    policies: [{ algorithm: "token-bucket", name: `p${i}`, limit: 20, refill: 10, per: "1s" }],
  }));
  const lists = {
    deny: Array.from({ length: MANY }, (_, i) => ({ cidr: `10.${i >> 8}.${i & 255}.0/24` })),
  };
  await on.publish({ rules, lists });
  const page = await on.open("#/rules");
  const table = regionOf(page, "Rules in force");
  await table.getByText("1 of 20").waitFor();
  await expect.poll(() => table.locator("tbody tr").count()).toBe(50);
  await timed(
    page,
    "next page of 1,000 rules",
    'document.querySelector(".pages button:last-child").click()',
  );
  await table.getByRole("link", { name: "GET /api/resource-50/*" }).waitFor();
  await timed(
    page,
    "filter of 1,000 rules",
    `const field = document.querySelector("input[type=search]"); field.value = "resource-777"; field.dispatchEvent(new Event("input", { bubbles: true }))`,
  );
  await table.getByText("1 of 1,000").waitFor();
  await expect.poll(() => table.locator("tbody tr").count()).toBe(1);
  await table.getByRole("link", { name: "GET /api/resource-777/*" }).click();
  await page.getByRole("heading", { name: "GET /api/resource-777/*" }).waitFor();

  await page.getByRole("link", { name: "Edit", exact: true }).last().click();
  await page.getByText("Sound, and the same as in force.").waitFor();
  const line = editorOf(page).locator(".cm-activeLine");
  await expect.poll(() => line.innerText()).toBe("    {");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => line.innerText()).toBe('      "path": "/api/resource-777/*",');
  for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  const key = (text: string) => `document.execCommand("insertText", false, ${text})`;
  await page.evaluate(`globalThis.tasks = [];
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ type: "longtask" });`);
  await timed(page, "a key in the editor of 1,000 rules", key('"5"'));
  await page.getByText("Sound: 1 change.").waitFor();
  const changed = page.locator(".difference .cm-merge-b .cm-changedLine");
  await expect.poll(() => changed.allInnerTexts()).toEqual(['          "limit": 205,']);
  const tasks = await page.evaluate("tasks");
  console.log(
    `tasks of more than 50 ms until its check and difference are shown: ${String(tasks)}`,
  );
  await page.keyboard.press("End");
  for (const typed of ["'\\n'", "'\"'", "'m'", "'o'"]) {
    await timed(page, `a key before proposals (${typed})`, key(typed));
  }
  await page.getByRole("option", { name: "mode" }).waitFor();

  await page.getByRole("link", { name: "Lists" }).click();
  const blocked = regionOf(page, "Blocked");
  await blocked.getByText("1 of 20").waitFor();
  await timed(
    page,
    "next page of 1,000 entries",
    'document.querySelector(".pages button:last-child").click()',
  );
  await blocked.getByText("2 of 20").waitFor();
});
