import { type Command, InvalidArgumentError } from "commander";

import { numberAbove0, wholeNumber } from "../../scripts/support/arguments.ts";
import { createProgram, ProgramError } from "../../scripts/support/program.ts";
import { generatedMutants, nearestOnly, productFiles } from "./generated.ts";
import { createLedger } from "./ledger.ts";
import type { Mutant, Result } from "./mutant.ts";
import { WRITTEN } from "./mutants.ts";
import { jsonOf, lineOf, noticed, summaryOf } from "./report.ts";
import { sample } from "./sample.ts";
import { createSandbox } from "./sandbox.ts";
import { tryAll } from "./try-all.ts";
import { located } from "./written.ts";

interface Options {
  readonly generated?: boolean;
  readonly nearest?: boolean;
  readonly list?: boolean;
  readonly jobs: number;
  readonly shard: Shard;
  readonly resume?: boolean;
  readonly sample?: number;
  readonly seed: number;
  readonly atLeast: number;
  readonly json?: boolean;
}

/** One part of the mutants, for machines that share the work. */
interface Shard {
  readonly part: number;
  readonly parts: number;
}

const WHOLE: Shard = { part: 1, parts: 1 };

/** The mutants as a program: it is made anew for each call. */
export function mutantsProgram(): Command {
  const program = createProgram({
    call: "npm run test:mutants --",
    description:
      "Breaks copies of the project in small ways, one at a time, and runs the tests that should notice. " +
      "Without an option, these are the mutants written by hand: one or more for each promise.",
    examples: [
      "npm run test:mutants",
      'npm run test:mutants -- "part of a name"',
      "npm run test:mutants -- --generated src/decide",
      "npm run test:mutants -- --generated --nearest --sample 20 --seed 7",
      "npm run test:mutants -- --shard 1/3 --resume",
    ],
  })
    .usage("[options] [part]")
    .argument("[part]", "a part of mutants' names, or a path (default: all)")
    .option("--generated", "the mutants that operators make of src and lua")
    .option("--nearest", "with --generated: run only the tests that are nearest to the file")
    .option("--list", "name the mutants, and try none")
    .option("--jobs <number>", "mutants at a time, each in its own copy", wholeNumber, 2)
    .option("--shard <part>", "a part of the mutants, such as 1/3", readShard, WHOLE)
    .option("--resume", "keep results of an earlier run, unless a file has changed since")
    .option("--sample <number>", "draw so many mutants", wholeNumber)
    .option("--seed <number>", "draws the sample", wholeNumber, 1)
    .option("--at-least <percent>", "fail if fewer are noticed", numberAbove0("a share"), 100)
    .option("--json", "print the results as JSON, and nothing else on the standard output")
    .action(tryMutants);
  for (const option of program.options) if (option.long === "--shard") option.default(WHOLE, "all");
  return program;
}

function readShard(text: string): Shard {
  const [part, parts] = text.split("/").map(Number) as [number, number];
  if (part >= 1 && part <= parts) return { part, parts };
  throw new InvalidArgumentError("It is a part and a number of parts, such as 1/3.");
}

async function tryMutants(part: string | undefined, options: Options): Promise<void> {
  const wanted = pick(options.generated ? generated(options) : WRITTEN.map(located), part, options);
  if (options.list) {
    process.stdout.write(wanted.map(({ name }) => `${name}\n`).join(""));
    return;
  }
  const ledger = createLedger(options.resume ?? false);
  const results: Result[] = [];
  const left = wanted.filter((mutant) => {
    const kept = ledger.get(mutant.name);
    if (kept) results.push({ mutant, ...kept });
    return !kept;
  });
  const jobs = Math.min(options.jobs, left.length);
  const sandboxes = Array.from({ length: jobs }, createSandbox);
  // A sample is drawn after the tests have passed. All the others find out by themselves.
  if (left.length > 0 && options.sample === undefined) {
    const tests = [...new Set(left.flatMap((mutant) => mutant.tests))];
    console.error(`Unbroken, all of ${tests.length} tests and folders must pass.`);
    await sandboxes[0]!.expectSound(tests).catch(({ message }: Error) => {
      throw new ProgramError(message);
    });
  }
  await tryAll(left, sandboxes, (result) => {
    results.push(result);
    ledger.add(result);
    console.error(`${results.length}/${wanted.length} | ${lineOf(result)}`);
  });
  console.log(options.json ? jsonOf(results) : summaryOf(results));
  const share = results.length === 0 ? 100 : (100 * noticed(results)) / results.length;
  if (share < options.atLeast) {
    throw new ProgramError(
      `${Math.floor(share)} percent are noticed, less than ${options.atLeast}`,
    );
  }
}

function generated({ nearest }: Options): readonly Mutant[] {
  const mutants = generatedMutants(productFiles());
  return nearest ? nearestOnly(mutants) : mutants;
}

function pick(
  all: readonly Mutant[],
  part = "",
  { shard, sample: size, seed }: Options,
): readonly Mutant[] {
  const named = all.filter(({ name, file }) => name.includes(part) || file.includes(part));
  if (named.length === 0) {
    throw new ProgramError(`no mutant's name or file has ${JSON.stringify(part)}`);
  }
  const drawn = size === undefined ? named : sample(named, size, seed);
  return drawn.filter((_mutant, i) => i % shard.parts === shard.part - 1);
}
