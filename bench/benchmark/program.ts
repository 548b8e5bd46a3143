import { dirname } from "node:path";

import type { Command } from "commander";

import { namesAmong } from "../../scripts/support/arguments.ts";
import { createProgram } from "../../scripts/support/program.ts";
import { startProgress, USUAL_COLUMNS } from "../../scripts/support/progress/progress.ts";
import { PARTS } from "./parts.ts";
import {
  type PartResults,
  partResults,
  readResults,
  type Results,
  writeResults,
} from "./results.ts";
import { table } from "./table.ts";

const RESULTS = "bench/results.json";
const NAMES = PARTS.map(({ name }) => name);
/** Those that run unless some are named. */
const USUAL = PARTS.filter(({ optional }) => !optional).map(({ name }) => name);

interface Options {
  readonly short?: boolean;
  readonly only: readonly string[];
  readonly out?: string;
  readonly redraw?: boolean;
  readonly json?: boolean;
}

/** The benchmark as a program: it is made anew for each call. */
export function benchmarkProgram(): Command {
  const program = createProgram({
    call: "npm run bench --",
    description:
      "Measures Tidegate against its peers, on real parts: a Redis, workerd and Node. " +
      "Targets that are missed are shown, and are no failure.",
    examples: [
      "npm run bench",
      "npm run bench -- --only bundle,lease",
      "npm run bench -- --short --json",
      "npm run bench -- --redraw",
    ],
  })
    .option("--short", "only show that everything runs: its numbers mean nothing")
    .option("--only <parts>", `parts of ${NAMES.join(", ")}`, namesAmong(NAMES), USUAL)
    .option(
      "--out <file>",
      `the file for the results, beside which the pictures go (default: ${RESULTS}, none with --short)`,
    )
    .option("--redraw", "measure nothing, draw the pictures of the results that are there")
    .option("--json", "print the results as JSON, and nothing else on the standard output")
    .action(async (options: Options) => (options.redraw ? redraw(options) : measure(options)));
  for (const option of program.options) {
    if (option.long === "--redraw") option.conflicts(["short", "json"]);
    if (option.long === "--only") option.default(USUAL, "all but instructions");
  }
  return program;
}

/** Drawing brings a browser's document, which takes longer to load than all else that most calls need. */
async function drawPictures(folder: string, results: Results): Promise<void> {
  const { writePictures } = await import("./pictures.ts");
  await writePictures(folder, results);
}

async function redraw({ out = RESULTS }: Options): Promise<void> {
  await drawPictures(dirname(out), await readResults(out));
}

async function measure({ short = false, only, out, json }: Options): Promise<void> {
  const chosen = PARTS.filter(({ name }) => only.includes(name));
  const progress = startProgress(
    chosen.map(({ name, seconds }) => ({ name, expectedMs: 1_000 * seconds[short ? 1 : 0] })),
  );
  const parts: Record<string, PartResults> = {};
  for (const { name, measure } of chosen) {
    progress.begin(name);
    parts[name] = partResults(await measure({ short, tell: progress.tell }));
  }
  progress.end();

  const width = process.stdout.columns || USUAL_COLUMNS;
  const tables = Object.entries(parts).map(([name, { figures }]) => table(name, figures, width));
  console.log(json ? JSON.stringify({ parts }, null, 2) : tables.join("\n"));
  // Numbers of a short run must not take the place of those that mean something.
  const file = out ?? (short ? undefined : RESULTS);
  if (file === undefined) return;
  await drawPictures(dirname(file), await writeResults(file, parts));
  if (!json) console.log(`\nwritten to ${file}`);
}
