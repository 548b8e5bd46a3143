// Breaks copies of the project in small ways, one at a time, and runs the tests that must notice. Prints a line for
// each and a table of those that lived, and fails if there are any.
// `npm run test:mutants [-- part of a name or a path] [--jobs 2] [--shard 1/3] [--resume]`

import { parseArgs } from "node:util";

import { createLedger } from "./ledger.ts";
import { MUTANTS } from "./mutants.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

// So that what is to be done at the end is done then, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Mutants tested at the same time, each in a copy of its own. */
    jobs: { type: "string", default: "2" },
    /** Which part of the mutants, of how many: for machines that share the work. */
    shard: { type: "string", default: "1/1" },
    /** Leaves out what an earlier run has seen noticed, as long as no file has changed since. */
    resume: { type: "boolean", default: false },
  },
});
const part = positionals.join(" ");
const [shard = 1, shards = 1] = values.shard.split("/").map(Number);
const wanted = MUTANTS.filter(
  ({ name, file }) => name.includes(part) || file.includes(part),
).filter((_mutant, i) => i % shards === shard - 1);
const ledger = createLedger(values.resume);
const left = wanted.filter(({ name }) => !ledger.has(name));
const lived: string[] = [];
const started = performance.now();
const seconds = (since: number) => `${Math.round((performance.now() - since) / 1000)} s`;
let done = wanted.length - left.length;

async function testAll(sandbox: Sandbox): Promise<void> {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const start = performance.now();
    const noticed = await sandbox.firstToNotice(mutant);
    if (noticed === undefined) lived.push(mutant.name);
    else ledger.add(mutant.name);
    console.log(
      `${++done}/${wanted.length} | ${mutant.name} | ${noticed ?? "LIVED"} | ${seconds(start)}`,
    );
  }
}

const sandboxes = Array.from({ length: Math.min(Number(values.jobs), left.length) }, createSandbox);
if (left.length > 0) {
  const tests = [...new Set(left.flatMap((mutant) => mutant.tests))];
  console.log(`Unbroken, all of ${tests.length} tests and folders must pass:`);
  await sandboxes[0]!.expectSound(tests);
  console.log(`They do, after ${seconds(started)}. Broken, one must fail:`);
}
await Promise.all(sandboxes.map(testAll));

console.log(
  `${wanted.length - lived.length} of ${wanted.length} noticed, after ${seconds(started)}`,
);
if (lived.length > 0) console.log(["", "Nobody noticed:", ...lived].join("\n- "));
process.exitCode = lived.length === 0 ? 0 : 1;
