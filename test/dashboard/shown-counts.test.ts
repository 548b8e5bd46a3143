import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { readAgain } from "./visit.ts";

const on = useDashboard();

/** Has the page get these counts, each in the first minute, in place of the gateway's. */
async function fakeCounts(page: Page, more: () => object) {
  await page.route("**/api/v1/stats?*", async (route) => {
    const answer = (await (await route.fetch()).json()) as { times: string[] };
    const spread = (value: unknown): unknown => {
      if (typeof value === "number") return answer.times.map((_, i) => (i === 0 ? value : 0));
      if (Array.isArray(value))
        return value.map((each: { n?: number }) => ({ ...each, counts: spread(each.n) }));
      return value;
    };
    const made = Object.entries(more()).map(([name, value]) => [name, spread(value)]);
    await route.fulfill({ json: { ...answer, ...Object.fromEntries(made) } });
  });
}

test("each tile has its number", async () => {
  const page = await on.open("#/audit");
  await fakeCounts(page, () => ({
    requests: [
      { rule: "a", outcome: "allowed", reason: "allowed", n: 600 },
      { rule: "a", outcome: "denied", reason: "limited", n: 250 },
      { rule: "none", outcome: "passed", reason: "no-rule", n: 150 },
    ],
    durations: [
      { le: 0.002, n: 90 },
      { le: 0.1, n: 10 },
      { le: null, n: 0 },
    ],
    storeErrors: [{ code: "ERR_STORE_TIMEOUT", n: 4 }],
    commands: 1_500,
    lost: 1,
  }));
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".tile").first().waitFor();
  const tiles = await page
    .locator(".tile")
    .evaluateAll((all) =>
      all.map((tile) => [...tile.children].map(({ textContent }) => textContent).join(" | ")),
    );
  expect(tiles).toEqual([
    "Requests | 1,000 | 150 without a rule",
    "Denied | 25 % | 250 requests",
    "Redis latency p99 | 90 ms | p50 1.1 ms",
    "Redis commands | 1,500 | 1.50 per request",
    "Decided without Redis | 0 | 0 passed unlimited, 4 Redis errors",
    "Not counted | 1 | counts given up",
  ]);
  const latency = page.getByRole("region", { name: "Redis latency", exact: true });
  expect(await latency.locator(".legend b").allInnerTexts()).toEqual(["1.1 ms", "90 ms"]);
  const row = page.getByRole("region", { name: "By rule", exact: true }).getByRole("row").nth(1);
  expect(await row.getByRole("cell").allInnerTexts()).toEqual(["a", "850", "250", "0", "29 %"]);
});

test("pictures and rules show the counts of the last answer", async () => {
  const page = await on.open("#/audit");
  let denied = 10;
  await fakeCounts(page, () => ({
    requests: [
      { rule: "a", outcome: "allowed", reason: "allowed", n: 100 },
      { rule: "a", outcome: "denied", reason: "limited", n: denied },
    ],
  }));
  await page.getByRole("link", { name: "Overview" }).click();
  const row = page.getByRole("region", { name: "By rule", exact: true }).getByRole("row").nth(1);
  const picture = page.getByRole("region", { name: "Requests by the minute", exact: true });
  const legend = picture.locator(".legend li", { hasText: "denied" }).locator("b");
  const drawn = () =>
    picture.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await row.getByRole("cell").nth(2).getByText("10", { exact: true }).waitFor();
  const before = await drawn();
  denied = 70;
  await readAgain(page);
  await row.getByRole("cell").nth(2).getByText("70", { exact: true }).waitFor();
  expect(await legend.innerText()).toBe("70");
  expect(await drawn()).not.toBe(before);
});

test("what an isolate says of its rules, and what others met, is beside its health", async () => {
  const page = await on.open("#/audit");
  let suspended = [0, 1, 0];
  await page.route("**/api/v1/stats?*", async (route) => {
    const answer = (await (await route.fetch()).json()) as { times: string[] };
    const counts = [...answer.times.slice(3).map(() => 0), ...suspended];
    const storeErrors = [{ code: "ERR_STORE_SUSPENDED", counts }];
    await route.fulfill({ json: { ...answer, storeErrors } });
  });
  await page.route("**/api/v1/health", async (route) => {
    const answer = (await (await route.fetch()).json()) as { live: object };
    const live = { ...answer.live, error: "rules[0] is broken" };
    await route.fulfill({ json: { ...answer, status: "degraded", live } });
  });
  await page.getByRole("link", { name: "Overview" }).click();
  await readAgain(page);
  const health = page.getByRole("region", { name: "Health", exact: true });
  await health.getByText("Rules in Redis are not used: rules[0] is broken").waitFor();
  await health.getByText("Redis answers").waitFor();
  const others = health.getByText("All isolates: a breaker was open in the last 2 minutes");
  await others.waitFor();
  suspended = [1, 0, 0];
  await readAgain(page);
  await others.waitFor({ state: "detached" });
});

test("a rule has what each mode of its policies said, and how full they were", async () => {
  const page = await on.open("#/audit");
  const of = (mode: string, result: string, n: number) => ({ policy: "rides", mode, result, n });
  await fakeCounts(page, () => ({
    evaluations: [
      of("enforce", "allowed", 90),
      of("enforce", "denied", 10),
      of("shadow", "allowed", 60),
      of("shadow", "denied", 20),
      of("soft", "allowed", 3),
      of("soft", "denied", 1),
    ],
    utilization: [
      { policy: "rides", le: 0.25, n: 50 },
      { policy: "rides", le: 0.5, n: 25 },
      { policy: "rides", le: 0.75, n: 20 },
      { policy: "rides", le: 1, n: 5 },
    ],
  }));
  await page.goto(`${on.url}#/rules/0`);
  const said = page.getByRole("region", { name: "What each policy said", exact: true });
  await expect
    .poll(() =>
      said
        .locator("tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) => [...row.children].map(({ textContent }) => textContent).join(" | ")),
        ),
    )
    .toEqual([
      "rides | denies | 90 | 10 (10 %) | denied",
      "rides | only watches | 60 | 20 (25 %) | would be denied",
      "rides | marks | 3 | 1 (25 %) | passed over the limit",
    ]);
  const use = page.getByRole("region", { name: "Use of the limits", exact: true });
  const bars = await use.locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => {
      const { style, className } = row.querySelector<HTMLElement>(".bar")!;
      const texts = [...row.children].map(({ textContent }) => textContent);
      return [...texts, style.width, className].join(" | ");
    }),
  );
  expect(bars).toEqual([
    "0–25 % | 50 % | 50 | 50% | bar",
    "25–50 % | 25 % | 25 | 25% | bar",
    "50–75 % | 20 % | 20 | 20% | bar",
    "75–100 % | 5.0 % | 5 | 5% | bar full",
  ]);
});
