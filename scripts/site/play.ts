import type { Browser } from "playwright-core";

/**
 * The number of 15 requests in 2 seconds from 0 s that pass a limit of 10 in 10 seconds, and the units that remain after them.
 */
const EXPECTED: Readonly<Record<string, readonly [admitted: string, remaining: string]>> = {
  "Token bucket": ["11", "1"],
  "Sliding window log": ["10", "0"],
  "Segmented window": ["10", "0"],
  "Sliding window counter": ["10", "0"],
  "Fixed window": ["10", "0"],
  "Fixed window from the first request": ["10", "0"],
  // In two hours of a day.
  "Fixed window of a calendar": ["10", "0"],
  // Each request keeps its slot for two seconds.
  Concurrency: ["10", "1"],
};

/** The differences between the counts of the page's playground and the expected ones. */
export async function playEveryModel(browser: Browser, origin: string): Promise<string[]> {
  const faults: string[] = [];
  const page = await browser.newPage();
  await page.goto(`${origin}algorithms.html`, { waitUntil: "networkidle" });
  const total = (name: string) => page.locator(`[data-total="${name}"]`).textContent();
  const expect = async (what: string, name: string, expected: string) => {
    const found = await total(name);
    if (found !== expected) faults.push(`${what}: ${found} ${name}, not ${expected}`);
  };
  for (const [model, [admitted, remaining]] of Object.entries(EXPECTED)) {
    // By its label, which is scrolled from under the page's header.
    const radio = page.getByRole("radio", { name: model, exact: true });
    await page
      .getByRole("group", { name: "Algorithm" })
      .locator("label")
      .filter({ has: radio })
      .click();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: "Replay the burst" }).click();
    await expect(model, "admitted", admitted);
    await expect(model, "denied", String(15 - Number(admitted)));
    await expect(model, "remaining", remaining);
  }
  // By keys alone: back to the beginning, where one request has come, and one more.
  await page.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect("at the beginning", "admitted", "1");
  await page.getByRole("button", { name: "Send a request" }).focus();
  await page.keyboard.press("Enter");
  await expect("after a request by keys", "admitted", "2");
  const expectCode = async (what: string, policy: string) => {
    const code = await page.locator("[data-code]").textContent();
    if (!code?.includes(policy)) faults.push(`${what}: the code has no ${policy}`);
  };
  await page.getByRole("button", { name: "100 per minute, strict" }).click();
  await expectCode("a limit to start from", 'limit: 100, window: "1m"');
  const query = "?algorithm=calendar&limit=1000000&unit=month&timeZone=UTC";
  await page.goto(`${origin}algorithms.html${query}`, { waitUntil: "networkidle" });
  await expectCode("a link", 'limit: 1_000_000, window: month({ timeZone: "UTC" })');
  await page.close();
  return faults;
}
