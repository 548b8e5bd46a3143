// Takes the pictures of the dashboard for the documents, with a real Chromium: `npm run pictures -- --help`.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { openBrowser } from "../../test/dashboard/browser.ts";
import { endSignal } from "../local-stack/end-signal.ts";
import { namesAmong } from "../support/arguments.ts";
import { createProgram, runProgram } from "../support/program.ts";
import { startProgress } from "../support/progress.ts";
import { PICTURES } from "./pictures.ts";
import { openSet } from "./set.ts";

const NAMES = Object.keys(PICTURES);
const FOLDER = "docs/pictures";

const PICTURE_SECONDS = 3;
const OPENING_SECONDS = 8;

interface Options {
  readonly only: readonly string[];
  readonly out: string;
}

const program = createProgram({
  call: "npm run pictures --",
  description:
    "Takes the pictures of the dashboard for the documents, of a local stack and with the Chromium of this machine.",
  examples: [
    "npm run pictures",
    "npm run pictures -- --only dashboard-overview --out other-folder",
  ],
})
  .option("--only <names>", `some of ${NAMES.join(", ")}`, namesAmong(NAMES), NAMES)
  .option("--out <folder>", "the folder for them", FOLDER)
  .action(takePictures);
for (const option of program.options) if (option.long === "--only") option.default(NAMES, "all");

async function takePictures({ only, out }: Options): Promise<void> {
  const progress = startProgress([
    { name: "opening", expectedMs: 1_000 * OPENING_SECONDS },
    ...only.map((name) => ({ name, expectedMs: 1_000 * PICTURE_SECONDS })),
  ]);
  progress.begin("opening");
  const browser = await openBrowser();
  const set = await openSet(browser);
  try {
    await mkdir(out, { recursive: true });
    for (const name of only) {
      progress.begin(name);
      await writeFile(join(out, `${name}.webp`), await PICTURES[name]!(set));
    }
  } finally {
    await browser.close();
    await set.stop();
  }
  progress.end();
}

endSignal().addEventListener("abort", () => process.exit(130));
await runProgram(program);
