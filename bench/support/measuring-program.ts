import { type Command, Option } from "commander";

import { namesAmong } from "../../scripts/support/arguments.ts";
import { createProgram, type ProgramOptions } from "../../scripts/support/program.ts";
import { USUAL_COLUMNS } from "../../scripts/support/progress.ts";

export interface MeasuringOptions {
  readonly short?: boolean;
  readonly only: readonly string[];
}

export interface Measured {
  /** For `--json`. */
  readonly results: object;
  /** For a terminal of this many columns. */
  text(columns: number): string;
  /** Whether the results may take the place of the committed ones. */
  readonly complete: boolean;
  /** Writes the results into a file, and the pictures beside it. */
  write(file: string): Promise<void>;
}

interface MeasuringProgram<Options extends MeasuringOptions> extends ProgramOptions {
  readonly parts: readonly string[];
  /** The file of the committed results, and the options with which nothing is written into it. */
  readonly file: string;
  readonly unwritten: string;
  measure(options: Options): Promise<Measured>;
  /** Draws the pictures of the results in a file. */
  redraw(file: string): Promise<void>;
}

/** A program that measures parts, prints their figures, and keeps and draws them. It is made anew for each call. */
export function measuringProgram<Options extends MeasuringOptions>({
  parts,
  file,
  unwritten,
  measure,
  redraw,
  ...about
}: MeasuringProgram<Options>): Command {
  const only = new Option("--only <parts>", `parts of ${parts.join(", ")}`)
    .argParser(namesAmong(parts))
    .default(parts, "all");
  return createProgram(about)
    .option("--short", "only show that everything runs: its numbers mean nothing")
    .addOption(only)
    .option(
      "--out <file>",
      `the file for the results, beside which the pictures go (default: ${file}, none with ${unwritten})`,
    )
    .addOption(
      new Option(
        "--redraw",
        "measure nothing, draw the pictures of the results that are there",
      ).conflicts(["short", "json"]),
    )
    .option("--json", "print the results as JSON, and nothing else on the standard output")
    .action(async (options: Options & { redraw?: boolean; out?: string; json?: boolean }) => {
      if (options.redraw) return redraw(options.out ?? file);
      const { results, text, complete, write } = await measure(options);
      const columns = process.stdout.columns || USUAL_COLUMNS;
      console.log(options.json ? JSON.stringify(results, null, 2) : text(columns));
      const out = options.out ?? (complete ? file : undefined);
      if (out === undefined) return;
      await write(out);
      if (!options.json) console.log(`\nwritten to ${out}`);
    });
}
