import type { Browser } from "playwright-core";

/** Words that readers look for, and the pages of which one must be among the first three results. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  "20 per second smooth": ["algorithms", "recipes"],
  "429": ["start", "hono", "library"],
  alert: ["metrics", "dashboard", "outages"],
  allowlist: ["recipes"],
  "api key": ["identities", "recipes"],
  "block an ip": ["recipes", "cli"],
  "bundle size": ["library"],
  burst: ["algorithms"],
  cluster: ["node", "redis"],
  commonjs: ["node", "testing"],
  concurrency: ["late-costs", "algorithms"],
  dashboard: ["dashboard"],
  ddos: ["hot-keys", "gateway", "security"],
  "durable objects": ["durable-objects"],
  express: ["start", "node"],
  "fail open": ["outages"],
  fastify: ["node"],
  "fastify per route": ["node"],
  getKey: ["moving/express-rate-limit"],
  health: ["gateway"],
  "how do i trust it": ["guarantees"],
  "ip address": ["identities", "security"],
  ipv6: ["identities", "security"],
  jest: ["testing"],
  jwt: ["identities"],
  latency: ["costs"],
  lease: ["hot-keys"],
  "limit over 30 regions": ["regions"],
  "login brute force": ["recipes"],
  monthly: ["recipes"],
  nextjs: ["vercel"],
  nginx: ["identities"],
  openai: ["llm"],
  ORIGIN_TIMEOUT: ["options", "gateway"],
  playground: ["algorithms"],
  plan: ["identities", "recipes"],
  prometheus: ["metrics"],
  quota: ["recipes", "options", "library"],
  "rate-limit-redis": ["moving/express-rate-limit"],
  "redis down": ["outages"],
  "retry-after": ["library", "hono"],
  rollback: ["operations"],
  skipFailedRequests: ["moving/express-rate-limit"],
  smooth: ["algorithms", "recipes"],
  "test express app": ["testing"],
  throttle: ["algorithms", "recipes", "moving/nest-throttler"],
  "trust proxy": ["identities"],
  "unit test": ["testing"],
  upstash: ["moving/upstash-ratelimit", "redis"],
  websocket: ["recipes"],
  "what latency does it add": ["costs"],
  whitelist: ["recipes"],
  "x-forwarded-for": ["identities"],
};

/** Enters each query into the search of the site, as a reader does, and lists those that do not find their page. */
export async function searchForEverything(browser: Browser, origin: string): Promise<string[]> {
  const faults: string[] = [];
  const page = await browser.newPage();
  await page.goto(origin, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "Search" }).first().click();
  const box = page.getByRole("searchbox").or(page.locator("#localsearch-input")).first();
  for (const [query, wanted] of Object.entries(QUERIES)) {
    await box.fill(query);
    // Longer than the box waits before it searches.
    await page.waitForTimeout(400);
    // The first search also loads the index.
    await page
      .locator("a.result")
      .first()
      .waitFor({ timeout: 5_000 })
      .catch(() => {});
    const results = (await page.locator("a.result").all()).slice(0, 3);
    const links = await Promise.all(results.map((result) => result.getAttribute("href")));
    const found = links.map((link) =>
      new URL(link!, origin).href.slice(origin.length).replace(/(?:\.html)?(?:#.*)?$/, ""),
    );
    if (!found.some((each) => wanted.includes(each))) {
      faults.push(`"${query}" finds ${found.join(", ") || "nothing"}, not ${wanted.join(" or ")}`);
    }
  }
  await page.close();
  return faults;
}
