// Builds the site and looks at it with a real Chromium: `npm run test:site`, and with `-- --short` at a part of it only.
// `--pictures FOLDER` keeps pictures of the pages.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build, serve } from "vitepress";

import { openBrowser } from "../../test/dashboard/browser.ts";
import { freePort } from "../support/free-port.ts";
import { createProgram, ProgramError, runProgram } from "../support/program.ts";
import { lookAt, WIDTHS } from "./look-at.ts";
import { playEveryModel } from "./play.ts";
import { searchForEverything } from "./search.ts";

const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
const PAGES = ["", "start", "algorithms", "options", "guarantees", "figures", "moving/better-auth"];
const SHORT = ["", "algorithms"];

/** Not "/", under which a link that forgets the base would work, too. */
const BASE = (process.env["SITE_BASE"] ??= "/tidegate/");

interface Options {
  readonly short?: true;
  readonly pictures?: string;
}

const program = createProgram({
  call: "npm run test:site --",
  description: "Builds the site and looks at its pages with the Chromium of this machine.",
  examples: ["npm run test:site -- --short"],
})
  .option("--short", "two pages, at one width")
  .option("--pictures <folder>", "keeps pictures there")
  .action(testSite);

async function testSite({ short, pictures }: Options): Promise<void> {
  if (pictures) mkdirSync(pictures, { recursive: true });
  await build(DOCS);
  const port = await freePort();
  const server = await serve({ root: DOCS, port, base: BASE });
  const browser = await openBrowser();
  try {
    const origin = `http://localhost:${port}${BASE}`;
    let count = 0;
    const report = (faults: readonly string[]) => {
      for (const fault of faults) console.error(fault);
      count += faults.length;
    };
    report(await playEveryModel(browser, origin));
    report(await searchForEverything(browser, origin));
    for (const page of short ? SHORT : PAGES) {
      for (const width of short ? WIDTHS.slice(0, 1) : WIDTHS) {
        for (const theme of ["light", "dark"] as const) {
          report(await lookAt(browser, origin, { page, width, theme, pictures }));
        }
      }
    }
    if (count > 0) throw new ProgramError(`The site has ${count} faults.`);
    console.log("The site is sound.");
  } finally {
    await browser.close();
    server.server.close();
  }
}

await runProgram(program);
