// Runs the tests that draw from a seed over and over, with a new seed each round: `npm run test:soak -- --help`.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";

import { numberAbove0, wholeNumber } from "../support/arguments.ts";
import { createProgram, ProgramError, runProgram } from "../support/program.ts";

/**
 * The tests that draw from a seed: the algorithms against their models, bounds, the shadow, the simulator, concurrent clients,
 * fuzzing.
 */
const DRAWING = [
  "test/lua/model",
  "test/lua/retry-after",
  "test/model",
  "test/denials/shadow",
  "test/simulator",
  "test/store/linearizable",
  "test/lease/envelope",
  "test/fuzz",
];

/** As many seeds as the simulator takes in a round. */
const SEEDS_PER_ROUND = 3_000;

interface Options {
  readonly minutes: number;
  readonly seed?: number;
}

const program = createProgram({
  call: "npm run test:soak --",
  description:
    "Runs the tests that draw from a seed over and over, with a new seed each round, until the time is up or one fails. " +
    "The seed that a round prints repeats it.",
  examples: ["npm run test:soak", "npm run test:soak -- --minutes 1 --seed 7"],
})
  .option("--minutes <number>", "no round begins later", numberAbove0("a number of minutes"), 10)
  .option("--seed <number>", "of the first round (default: a random one)", wholeNumber)
  .action(soak);

function soak({ minutes, seed = randomInt(2 ** 31) }: Options): void {
  const end = Date.now() + minutes * 60_000;
  let rounds = 0;
  do {
    console.log(`round ${++rounds}: --seed ${seed}`);
    const { status } = spawnSync(
      "vitest",
      ["run", "--project", "node", "--reporter", "dot", ...DRAWING],
      {
        stdio: "inherit",
        env: { TEST_RUNS: "1", ...process.env, TEST_SEED: String(seed) },
      },
    );
    if (status !== 0) throw new ProgramError(`failed with --seed ${seed}`);
    seed = (seed + SEEDS_PER_ROUND) % 2 ** 31;
  } while (Date.now() < end);
  console.log(`${rounds} rounds passed`);
}

await runProgram(program);
