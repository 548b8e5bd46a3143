import { Redis } from "ioredis";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { answerWith, readAgain } from "./visit.ts";

const on = useDashboard();

test(
  "in an outage one banner shows the isolate's view, and the effect on its traffic",
  { timeout: 60_000 },
  async () => {
    const page = await on.open("#/");
    await page.getByText("Redis answers").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);

    const redis = new Redis(on.stack.redis!, {
      disableClientInfo: true,
      retryStrategy: () => null,
    });
    redis.on("error", () => {});
    await redis.shutdown("NOSAVE").catch(() => {});
    const banner = page.getByRole("alert").filter({ hasText: "Redis does not answer the isolate" });
    // The last answer of health is given again for a second.
    const reread = async () => {
      await readAgain(page);
      return banner.count();
    };
    await expect.poll(reread, { timeout: 15_000, interval: 500 }).toBe(1);
    await banner.getByText("2 policies limited by what the isolate counts itself").waitFor();
    expect(["open", "closed", "half-open"]).toContain((await on.read("/health")).breaker);
    await page.getByText("The isolate that answered:").waitFor();
    for (const view of ["#/", "#/rules", "#/lists", "#/audit", "#/rules/0"]) {
      await page.goto(on.url + view);
      await banner.waitFor();
      await expect
        .poll(() => page.getByText("Reading", { exact: false }).count(), { timeout: 15_000 })
        .toBe(0);
      expect(await page.getByRole("alert").count()).toBe(1);
    }
  },
);

test.each([
  ["open", "it does not ask"],
  ["closed", "it asks with each request"],
  ["half-open", "single requests ask"],
])("a breaker that is %s is told as health says it", async (breaker, text) => {
  const page = await on.open("#/lists").catch(() => undefined);
  expect(page).toBeDefined();
  const health = {
    status: "store-unavailable",
    store: "redis",
    code: "ERR_STORE_TIMEOUT",
    detail: "Redis did not answer within 1 s.",
    breaker,
    onFailure: { local: 0, open: 1, closed: 2 },
    live: { version: 0, revision: 0, source: "deployed" },
  };
  await answerWith(page!, "health", health, 503);
  await page!.reload();
  const banner = page!.getByRole("alert").filter({ hasText: "Redis does not answer the isolate" });
  await banner.getByText(text).waitFor();
  await banner.getByText("1 policy not limited at all; 2 policies refused with 503.").waitFor();
});
