import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { answerWith } from "./visit.ts";

const on = useDashboard();

test.each([
  ["durable-object", "Durable Objects answer"],
  ["memory", "Counts in memory"],
])(
  "of a gateway with the store %s the overview says what works without a Redis",
  async (store, said) => {
    const page = await on.open("#/rules");
    await page.route("**/api/v1/health", async (route) => {
      const answer = await route.fetch();
      const health = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...health, store } });
    });
    for (const path of ["stats", "top"]) {
      await answerWith(page, `${path}?*`, { title: "Not Implemented", status: 501 }, 501);
    }
    await page.reload();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText(said, { exact: true }).waitFor();
    await page.getByText("This gateway has no Redis").waitFor();
    expect(await page.getByText("Redis answers").count()).toBe(0);
    expect(await page.getByText("lists and the audit work").count()).toBe(0);
  },
);

test("a gateway without lists says why once", async () => {
  const page = await on.open("#/rules");
  await page.route(/\/api\/v1\/(?:lists|overrides)/, (route) =>
    route.fulfill({ status: 501, json: { title: "Not Implemented", status: 501 } }),
  );
  await page.getByRole("link", { name: "Lists" }).click();
  await page.getByRole("alert").getByText("This gateway has no live rules").waitFor();
  expect(await page.getByRole("alert").count()).toBe(1);
});
