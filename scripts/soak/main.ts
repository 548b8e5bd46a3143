// Runs the tests that draw from a seed over and over, with a new seed each round, until the time is up or one fails.
// `npm run test:soak -- --minutes 10 [--seed 1]`; a round is repeated by the seed that it printed.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** What draws: the algorithms against their models, bounds, the shadow, the simulator, concurrent clients, fuzzing. */
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

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
});
const minutes = Number(values.minutes);
let seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error("--minutes takes a number above 0, --seed a whole number");
  process.exit(2);
}

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
  if (status !== 0) {
    console.error(`failed with --seed ${seed}`);
    process.exit(1);
  }
  // As many seeds further as the simulator takes in a round.
  seed = (seed + 3_000) % 2 ** 31;
} while (Date.now() < end);
console.log(`${rounds} rounds passed`);
