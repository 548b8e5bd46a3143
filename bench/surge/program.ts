import { type Command, InvalidArgumentError } from "commander";

import { namesAmong, wholeNumber } from "../../scripts/support/arguments.ts";
import { createProgram } from "../../scripts/support/program.ts";
import { startProgress, USUAL_COLUMNS } from "../../scripts/support/progress/progress.ts";
import { writeResultsFile } from "../support/results-file.ts";
import type { SurgeOptions } from "./play.ts";
import { isWhole, PARTS, readResults, SETUPS, type SurgeResults } from "./results.ts";
import { inLines, sceneTable, setupTable } from "./table.ts";

const RESULTS = "bench/surge.json";

interface Options extends Omit<SurgeOptions, "size"> {
  readonly short?: boolean;
  readonly out?: string;
  readonly redraw?: boolean;
  readonly json?: boolean;
}

/** The surge as a program: it is made anew for each call. */
export function surgeProgram(): Command {
  const program = createProgram({
    call: "npm run surge --",
    description:
      "Sends the riders of an incident against an API, without a limiter and with each layer of it, " +
      "then plays scenes in which limiters go wrong. docs/surge.md says what the figures mean.",
    examples: [
      "npm run surge",
      "npm run surge -- --short",
      "npm run surge -- --only boundaryBurst --out burst.json",
      "npm run surge -- --seed 2 --share 0.3 --out other.json",
      "npm run surge -- --redraw",
    ],
  })
    .option("--short", "only show that everything runs: its numbers mean nothing")
    .option("--only <parts>", `parts of ${PARTS.join(", ")}`, namesAmong(PARTS), PARTS)
    .option("--seed <number>", "draws the riders", wholeNumber, 1)
    .option("--share <number>", "of 2,000 riders and their service's capacity", shareOf, 0.5)
    .option(
      "--out <file>",
      "the file for the results, beside which the pictures go " +
        `(default: ${RESULTS}, none with --short or --only)`,
    )
    .option("--redraw", "run nothing, draw the pictures of the results that are there")
    .option("--json", "print the results as JSON, and nothing else on the standard output")
    .action(async (options: Options) => (options.redraw ? redraw(options) : surge(options)));
  for (const option of program.options) {
    if (option.long === "--redraw") option.conflicts(["short", "json"]);
    if (option.long === "--only") option.default(PARTS, "all");
  }
  return program;
}

function shareOf(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= 1) return number;
  throw new InvalidArgumentError("It is a number above 0 and at most 1.");
}

/** Drawing brings a browser's document, which takes longer to load than all else that most calls need. */
async function drawPictures(file: string, results: SurgeResults): Promise<void> {
  const { writePictures } = await import("./pictures.ts");
  await writePictures(file, results);
}

async function redraw({ out = RESULTS }: Options): Promise<void> {
  await drawPictures(out, await readResults(out));
}

async function surge({ short = false, out, json, ...options }: Options): Promise<void> {
  // It brings the limiters and their servers, which a call for help does not need.
  const { playSurge } = await import("./play.ts");
  const results = await playSurge({ ...options, size: short ? "short" : "full" }, startProgress);
  const columns = process.stdout.columns || USUAL_COLUMNS;
  const tables = [
    ...(SETUPS.some((name) => name in results) ? [setupTable(results)] : []),
    sceneTable(results.scenes),
  ].map((rows) => inLines(rows, columns));
  console.log(json ? JSON.stringify(results, null, 2) : tables.join("\n"));
  // Figures of a short run have no meaning, and those of a part are incomplete: neither replaces complete ones.
  const file = out ?? (short || !isWhole(results) ? undefined : RESULTS);
  if (file === undefined) return;
  await writeResultsFile(file, results);
  if (isWhole(results)) await drawPictures(file, results);
  if (!json) console.log(`\nwritten to ${file}`);
}
