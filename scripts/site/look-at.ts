import { join } from "node:path";

import type { Browser } from "playwright-core";

import { violationsOf } from "../../test/dashboard/axe.ts";

/** A phone, a tablet, a window. */
export const WIDTHS = [390, 820, 1280] as const;

interface View {
  /** Its path without `.html`. */
  readonly page: string;
  readonly width: number;
  readonly theme: "light" | "dark";
  /** The folder for a picture. */
  readonly pictures: string | undefined;
}

/** The faults of a page: wider than its window, errors, other hosts, or barriers for people with disabilities. */
export async function lookAt(
  browser: Browser,
  origin: string,
  { page: path, width, theme, pictures }: View,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`the console says: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`it throws: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) faults.push(`it loads ${url}`);
  });
  await page.goto(`${origin}${path === "" ? "" : `${path}.html`}`, { waitUntil: "networkidle" });
  const [has, shows] = (await page.evaluate(
    "[document.documentElement.scrollWidth, innerWidth]",
  )) as [number, number];
  if (has > shows) faults.push(`it is ${has} pixels wide`);
  faults.push(...(await violationsOf(page, ["serious", "critical"])));
  if (pictures) {
    const name = `${path.replaceAll("/", "-") || "index"}-${width}-${theme}.png`;
    await page.screenshot({ path: join(pictures, name), fullPage: path === "algorithms" });
  }
  await context.close();
  return faults.map((fault) => `/${path} at ${width}, ${theme}: ${fault}`);
}
