import { setTimeout as sleep } from "node:timers/promises";

import type { Locator, Page } from "playwright-core";

/** Text stays sharp, and a picture stays below 100 KB. */
const QUALITY = 80;

/** The visible part of the page, or one element, as WebP: a third of a PNG. */
export async function capture(page: Page, part?: Locator): Promise<Buffer> {
  const { width, height } = page.viewportSize()!;
  const box = await placeOf(part ?? page.locator("html"));
  const [scrolledX, scrolledY] = await page.evaluate(() => [scrollX, scrollY] as const);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    // It lays the page out anew, in whose middle an editor may be.
    captureBeyondViewport: part !== undefined,
    clip: {
      x: box.x + scrolledX,
      y: box.y + scrolledY,
      width: Math.min(box.width, width),
      height: Math.min(box.height, height),
      // A picture without a clip has this by itself.
      scale: await page.evaluate(() => devicePixelRatio),
    },
  });
  return Buffer.from(data, "base64");
}

/** The place of the element once it stays still: the page above it may still be loading. */
async function placeOf(part: Locator) {
  for (let before = ""; ; await sleep(STILL_MS)) {
    const box = (await part.boundingBox())!;
    const now = JSON.stringify(box);
    if (now === before) return box;
    before = now;
  }
}

const STILL_MS = 700;
