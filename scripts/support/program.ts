import { Command, CommanderError } from "commander";

import { USUAL_COLUMNS } from "./progress.ts";
import { wrapWords } from "./wrap-words.ts";

/** The meanings of the exit codes of a program of this folder. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export interface ProgramOptions {
  /** As it is called from the project's folder. */
  readonly call: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** A program with the help, the refusals and the exit codes that all have. */
export function createProgram({ call, description, examples }: ProgramOptions): Command {
  return new Command(call)
    .usage("[options]")
    .description(description)
    .showHelpAfterError(`${call} --help shows the options`)
    .addHelpText("after", `\nExamples:\n${examples.map((each) => `  $ ${each}`).join("\n")}`)
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted")
    .configureOutput({ outputError: (text, write) => write(inLines(text)) })
    .exitOverride();
}

/** The parser wraps its help by itself, but not its refusals. */
function inLines(text: string): string {
  const columns = process.stderr.columns || USUAL_COLUMNS;
  return text
    .split("\n")
    .map((line) => wrapWords(line, columns))
    .join("\n");
}

/** An error that a person can mend, in one sentence: it needs no stack trace. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/** Runs the program with the arguments of this process, and ends it. */
export async function runProgram(program: Command): Promise<never> {
  process.exit(await exitCodeOf(program, process.argv.slice(2)));
}

/** Runs the program with these arguments, and says how its process should end. */
export async function exitCodeOf(program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    // The parser has said it itself, or has shown its help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // A bar may be in the line.
    if (process.stderr.isTTY) console.error();
    if (error instanceof ProgramError) process.stderr.write(`error: ${error.message}\n`);
    else console.error(error);
    return EXIT.failed;
  }
}
