import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Markup that would run if it were not text. */
export const MARKUP = `x-user-id:<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

/** Names that a client may give itself. */
export const HOSTILE = [
  MARKUP,
  "x-user-id:line\r\nbreak\u0000\u001B[31mred",
  "x-user-id:\u202Egnp.exe\u2066\u200B",
  `x-user-id:${"long".repeat(2_048)}`,
  "javascript:document.title='owned'",
];

/** Expects no invisible character on the page, and no element that came out of a text. */
export async function expectPlain(page: Page): Promise<void> {
  const text = (await page.locator("main").innerText()).replaceAll(/[\n\t]/g, "");
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(await page.title()).toBe("Tidegate");
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}
