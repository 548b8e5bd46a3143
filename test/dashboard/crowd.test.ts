import type { Page } from "playwright-core";
import { test } from "vitest";

import { countCrowd, manyRules } from "./crowd.ts";
import { useDashboard } from "./dashboard.ts";
import { costTable, stopwatchOf } from "./interaction.ts";

const on = useDashboard();

const CROWD = { rules: 1_000, partitions: 100_000 };

/** Has the page read everything again, and waits for the last answer. */
async function readAgain(page: Page, path: string): Promise<void> {
  await page.getByRole("button", { name: "Live", exact: true }).click();
  const answered = page.waitForResponse(`**/api/v1/${path}`);
  await page.getByRole("button", { name: "Paused", exact: true }).click();
  await (await answered).finished();
}

test("every view of 1,000 rules and 100,000 partitions reacts", { timeout: 180_000 }, async () => {
  await on.publish({ rules: manyRules(CROWD.rules) });
  await countCrowd(on.stack, CROWD);
  const page = await on.open("#/", {
    context: { viewport: { width: 1280, height: 900 } },
  });
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const { measure, costs } = await stopwatchOf(page);

  const byRule = region("By rule");
  await byRule.getByRole("link").first().waitFor();
  await region("Denied most").getByText("1 of 2", { exact: true }).waitFor();
  await measure("overview: read again", () => readAgain(page, "stats?*"));
  await measure("overview: filter rules", async () => {
    await byRule.getByRole("searchbox").fill("resource-42");
    await byRule.getByText(/^\d+ of /).waitFor();
  });
  await measure("overview: next page of partitions", async () => {
    await region("Denied most").getByRole("button", { name: "Next" }).click();
    await region("Denied most").getByText("2 of 2", { exact: true }).waitFor();
  });
  await measure("overview: point at a picture", async () => {
    await region("Requests by the minute").getByRole("img").hover();
    await region("Requests by the minute").locator(".at", { hasText: ":" }).waitFor();
  });
  await measure("overview: numbers of a picture", async () => {
    await region("Denials by rule, by the minute").getByText("Numbers").click();
    await region("Denials by rule, by the minute").locator("tbody tr").nth(49).waitFor();
  });
  await measure("overview: six hours", async () => {
    await page.getByRole("combobox").first().selectOption("6h");
    await page.getByText("last 6 hours").waitFor();
    await byRule.getByRole("link").first().waitFor();
  });
  await page.getByRole("combobox").first().selectOption("1h");

  await measure("rules: open", async () => {
    await page.getByRole("link", { name: "Rules", exact: true }).click();
    await region("Rules in force").getByText("1 of 20", { exact: true }).waitFor();
  });
  await measure("rules: next page", async () => {
    await region("Rules in force").getByRole("button", { name: "Next" }).click();
    await region("Rules in force").getByText("2 of 20", { exact: true }).waitFor();
  });
  await measure("rules: filter", async () => {
    await region("Rules in force").getByRole("searchbox").fill("resource-0/");
    await region("Rules in force").getByText("1 of 1,000").waitFor();
  });
  await measure("rule: open", async () => {
    await page.getByRole("link", { name: "GET /api/resource-0/*" }).click();
    await region("Use of the limits").waitFor();
  });
  await measure("rule: read again", () => readAgain(page, "stats?*"));
  await measure("partition: open", async () => {
    await region("Denied most").getByRole("row").getByRole("link").first().click();
    await region("Under p0").getByText("Denied by the ten minutes, at least").waitFor();
  });
  await measure("partition: explain", async () => {
    await page.getByLabel("Path and query").fill("/api/resource-0/x");
    await page.getByLabel("Client's address").fill("10.0.0.1");
    await page.getByRole("button", { name: "Explain" }).click();
    await region("Explanation").waitFor();
    await region("Under p0").waitFor();
  });
  await measure("partition: read again", () => readAgain(page, "partitions/history?*"));
  await measure("audit: open", async () => {
    await page.getByRole("link", { name: "Audit" }).click();
    await region("Audit").getByRole("row").nth(1).waitFor();
  });
  console.log(costTable(costs));
});
