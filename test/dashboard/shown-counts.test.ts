import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { readAgain, regionOf } from "./visit.ts";

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
      { rule: "a", outcome: "blocked", reason: "list", n: 36 },
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
    "Requests | 1,036 | 150 without a rule",
    "Denied | 24 % | 250 requests",
    "Redis latency p99 | 90 ms | p50 1.1 ms",
    "Redis commands | 1,500 | 1.45 per request",
    "Decided without Redis | 0 | 0 passed unlimited, 4 Redis errors",
    "Not counted | 1 | counts given up",
  ]);
  const latency = regionOf(page, "Redis latency");
  expect(await latency.locator(".legend b").allInnerTexts()).toEqual(["1.1 ms", "90 ms"]);
  const rules = regionOf(page, "By rule").getByRole("row");
  const cells = await rules.evaluateAll((rows) =>
    rows.map((row) => [...row.children].map(({ textContent }) => textContent)),
  );
  expect(cells.slice(0, 2)).toEqual([
    ["rule", "requests", "denied", "blocked", "share denied"],
    ["a", "886", "250", "36", "28 %"],
  ]);
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
  const row = regionOf(page, "By rule").getByRole("row").nth(1);
  const picture = regionOf(page, "Requests by the minute");
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
  const health = regionOf(page, "Health");
  await health.getByText("The published rules are not used: rules[0] is broken").waitFor();
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
  const said = regionOf(page, "What each policy said");
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
  const use = regionOf(page, "Use of the limits");
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

test("a tile shows the requests answered ahead of Redis, and those without room, where there were any", async () => {
  const page = await on.open("#/audit");
  let ahead = 0;
  await fakeCounts(page, () => ({
    requests: [
      { rule: "a", outcome: "allowed", reason: "optimistic", n: ahead },
      { rule: "a", outcome: "allowed", reason: "allowed", n: 25 },
    ],
    excess: 3,
  }));
  const tile = page.locator(".tile", { hasText: "Answered ahead of Redis" });
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".tile", { hasText: "Requests" }).getByText("25", { exact: true }).waitFor();
  expect(await tile.count()).toBe(0);
  ahead = 75;
  await readAgain(page);
  await tile.getByText("75 %", { exact: true }).waitFor();
  await tile.getByText("3 units had no room").waitFor();
});

test("a tile shows what regions did, where a gateway has one", async () => {
  const page = await on.open("#/audit");
  const region = [
    { what: "waits", n: 5 },
    { what: "homeCalls", n: 40 },
    { what: "unspentUnits", n: 1_200 },
    { what: "lostClaims", n: 3 },
  ];
  let told: typeof region = [];
  await fakeCounts(page, () => ({
    requests: [{ rule: "a", outcome: "allowed", reason: "allowed", n: 500 }],
    region: told,
  }));
  const tile = page.locator(".tile", { hasText: "Regions waited for home" });
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".tile", { hasText: "Requests" }).getByText("500", { exact: true }).waitFor();
  expect(await tile.count()).toBe(0);
  told = region;
  await readAgain(page);
  await tile.getByText("1.0 %", { exact: true }).waitFor();
  await tile.getByText("40 home calls, 1,200 units expired, 3 claims lost").waitFor();
});

test("tiles show the requests decided without Redis, and apart from them those that passed unlimited", async () => {
  const page = await on.open("#/audit");
  await fakeCounts(page, () => ({
    requests: [
      { rule: "a", outcome: "allowed", reason: "store-unavailable", n: 500 },
      { rule: "a", outcome: "allowed", reason: "store-unavailable-open", n: 70 },
      { rule: "a", outcome: "denied", reason: "store-unavailable", n: 9 },
      { rule: "a", outcome: "allowed", reason: "allowed", n: 10_000 },
    ],
  }));
  await page.getByRole("link", { name: "Overview" }).click();
  const tile = page.locator(".tile", { hasText: "Decided without Redis" });
  await tile.getByText("579", { exact: true }).waitFor();
  await tile.getByText("70 passed unlimited").waitFor();
});
