import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { answerWith } from "./visit.ts";

const on = useDashboard();

/** A page on a gateway with another store. */
async function openWith(store: string) {
  const page = await on.open("#/rules");
  await page.route("**/api/v1/health", async (route) => {
    const answer = await route.fetch();
    const health = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...health, store } });
  });
  return page;
}

test("of a gateway that counts in memory the overview says what works", async () => {
  const page = await openWith("memory");
  for (const path of ["stats", "top"]) {
    await answerWith(page, `${path}?*`, { title: "Not Implemented", status: 501 }, 501);
  }
  await page.reload();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("Counts in memory", { exact: true }).waitFor();
  await page.getByText("This gateway counts in memory").waitFor();
  expect(await page.getByText("Redis answers").count()).toBe(0);
  expect(await page.getByText("lists and the audit work").count()).toBe(0);
});

test("a gateway that counts in Durable Objects has charts", async () => {
  const page = await openWith("durable-object");
  await page.reload();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("Durable Objects answer", { exact: true }).waitFor();
  await page.getByRole("heading", { name: /^Requests by/ }).waitFor();
  await page.getByText("Store latency p99").waitFor();
  expect(await page.getByText(/Redis (?:commands|latency|errors)|without Redis/).count()).toBe(0);
});

test("a gateway without lists says why once", async () => {
  const page = await on.open("#/rules");
  await page.route(/\/api\/v1\/(?:lists|overrides)/, (route) =>
    route.fulfill({ status: 501, json: { title: "Not Implemented", status: 501 } }),
  );
  await page.getByRole("link", { name: "Lists" }).click();
  await page.getByRole("alert").getByText("This gateway has no live rules").waitFor();
  expect(await page.getByRole("alert").count()).toBe(1);
});
