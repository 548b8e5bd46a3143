// Breaks copies of the project in small ways, one at a time, and runs the tests that should notice.
//
//     npm run test:mutants [-- PART]                     those written by hand, one or more for each promise
//     npm run test:mutants -- --generated [PART]         those that operators make of src and lua
//
// PART is a part of a mutant's name or a path. Ends with 0 if enough were noticed, else with 1; with 2 if it was called wrongly
// or the tests fail while nothing is broken.

import { parseArgs } from "node:util";

import { generatedMutants, nearestOnly, productFiles } from "./generated.ts";
import { createLedger } from "./ledger.ts";
import type { Mutant, Result } from "./mutant.ts";
import { WRITTEN } from "./mutants.ts";
import { jsonOf, lineOf, noticed, summaryOf } from "./report.ts";
import { sample } from "./sample.ts";
import { createSandbox } from "./sandbox.ts";
import { tryAll } from "./try-all.ts";
import { located } from "./written.ts";

// So that what is to be done at the end is done then, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const { values, positionals } = readArguments();
const part = positionals.join(" ");
const [shard, shards] = values.shard.split("/").map(Number) as [number, number];
const isSample = values.sample !== undefined;

const wanted = pick(values.generated ? generated() : WRITTEN.map(located));
if (values.list) {
  for (const { name } of wanted) console.log(name);
  process.exit(0);
}

const ledger = createLedger(values.resume);
const results: Result[] = [];
const left = wanted.filter((mutant) => {
  const kept = ledger.get(mutant.name);
  if (kept) results.push({ mutant, ...kept });
  return !kept;
});
const progress = (line: string) => console.error(line);

const jobs = Math.min(Number(values.jobs), left.length);
const sandboxes = Array.from({ length: jobs }, createSandbox);
// A sample is drawn after the tests have passed. All the others find out by themselves.
if (left.length > 0 && !isSample) {
  const tests = [...new Set(left.flatMap((mutant) => mutant.tests))];
  progress(`Unbroken, all of ${tests.length} tests and folders must pass.`);
  await sandboxes[0]!.expectSound(tests).catch((error: Error) => fail(error.message));
}
await tryAll(left, sandboxes, (result) => {
  results.push(result);
  ledger.add(result);
  progress(`${results.length}/${wanted.length} | ${lineOf(result)}`);
});

console.log(values.json ? jsonOf(results) : summaryOf(results));
const share = results.length === 0 ? 100 : (100 * noticed(results)) / results.length;
process.exitCode = share >= Number(values["at-least"]) ? 0 : 1;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        generated: { type: "boolean", default: false },
        /** Only files that have a test of the same name, and only that test: a minute's glance. */
        nearest: { type: "boolean", default: false },
        /** Names the mutants and runs none. */
        list: { type: "boolean", default: false },
        /** Mutants tested at the same time, each in a copy of its own. */
        jobs: { type: "string", default: "2" },
        /** Which part of the mutants, of how many: for machines that share the work. */
        shard: { type: "string", default: "1/1" },
        /** Takes over what an earlier run has found out, as long as no file has changed since. */
        resume: { type: "boolean", default: false },
        /** So many mutants, drawn by the seed. */
        sample: { type: "string" },
        seed: { type: "string", default: "1" },
        /** The share, in percent, that must be noticed. Some changes make no difference: `--generated` needs less than all. */
        "at-least": { type: "string", default: "100" },
        /** Prints the results as JSON, and the progress to the other output. */
        json: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function generated(): readonly Mutant[] {
  const mutants = generatedMutants(productFiles());
  return values.nearest ? nearestOnly(mutants) : mutants;
}

function pick(all: readonly Mutant[]): readonly Mutant[] {
  const named = all.filter(({ name, file }) => name.includes(part) || file.includes(part));
  if (named.length === 0) fail(`no mutant's name or file has ${JSON.stringify(part)}`);
  if (!(shard >= 1 && shard <= shards)) fail("--shard takes a part and a number, such as 1/3");
  const drawn = isSample ? sample(named, Number(values.sample), Number(values.seed)) : named;
  return drawn.filter((_mutant, i) => i % shards === shard - 1);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
