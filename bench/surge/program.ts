import { type Command, InvalidArgumentError } from "commander";

import { namesAmong, wholeNumber } from "../../scripts/support/arguments.ts";
import { createProgram } from "../../scripts/support/program.ts";
import { startProgress, USUAL_COLUMNS } from "../../scripts/support/progress/progress.ts";
import type { SurgeOptions } from "./play.ts";
import { inColumns } from "./report/columns.ts";
import { sceneTable } from "./report/scene-table.ts";
import { tableOf } from "./report/table.ts";
import {
  type PartOfResults,
  readResults,
  SETUPS,
  type SurgeResults,
  writeResults,
} from "./results.ts";
import { SCENE_NAMES } from "./stages.ts";

const RESULTS = "bench/surge.json";
const PARTS: readonly string[] = [...SETUPS, ...SCENE_NAMES];

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
      "the file for the results, beside which the pictures and a page go " +
        `(default: ${RESULTS}, none with --short or --only)`,
    )
    .option("--redraw", "run nothing, draw the pictures and the page of the results that are there")
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
async function report(file: string, results: SurgeResults): Promise<void> {
  const { writeReport } = await import("./report/report.ts");
  await writeReport(file, results);
}

async function redraw({ out = RESULTS }: Options): Promise<void> {
  await report(out, await readResults(out));
}

async function surge({ short = false, out, json, ...options }: Options): Promise<void> {
  // It brings the limiters and their servers, which a call for help does not need.
  const { playSurge } = await import("./play.ts");
  const results = await playSurge({ ...options, size: short ? "short" : "full" }, startProgress);
  console.log(json ? JSON.stringify(results, null, 2) : tablesOf(results));
  // Figures of a short run have no meaning, and those of a part are incomplete: neither replaces complete ones.
  const file = out ?? (short || !isWhole(results) ? undefined : RESULTS);
  if (file === undefined) return;
  await writeResults(file, results);
  if (isWhole(results)) await report(file, results);
  if (!json) console.log(`\nwritten to ${file}`);
}

/** The tables of the measured parts. */
function tablesOf(results: PartOfResults): string {
  const columns = process.stdout.columns || USUAL_COLUMNS;
  const [setups, scenes] = [tableOf(results), sceneTable(results.scenes)];
  return [
    ...(SETUPS.some((name) => name in results) ? [setups] : []),
    ...(scenes.length > 1 ? [scenes] : []),
  ]
    .map((rows) => `\n${inColumns(rows, columns)}`)
    .join("\n");
}

function isWhole(results: PartOfResults): results is PartOfResults & SurgeResults {
  return PARTS.every((name) => name in results || name in results.scenes);
}
