import { existsSync } from "node:fs";

import { type Browser, chromium } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** A real Chromium. Without one the tests of the dashboard fail: none of them would show anything. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `The tests of the dashboard need a Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM to another one.`,
    );
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}
