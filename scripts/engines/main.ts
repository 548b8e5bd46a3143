// Runs the tests on other engines and versions than the installed one: `npm run test:engines -- --help`.

import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";

import { namesAmong } from "../support/arguments.ts";
import { createProgram, ProgramError, runProgram } from "../support/program.ts";
import { ENGINES } from "./engines.ts";
import { fetchEngine } from "./fetch-engine.ts";

/** The tests that run on each engine: those that depend on it. */
const TESTS = [
  "lua",
  "model",
  "store",
  "lease",
  "optimistic",
  "limiter",
  "region",
  "live",
  "metrics",
  "dropins",
  "fuzz",
  "chaos",
];

const NAMES = ENGINES.map(({ name }) => name);

const folder = fileURLToPath(new URL("../../.tmp/engines", import.meta.url));

interface Options {
  readonly only: readonly string[];
}

const program = createProgram({
  call: "npm run test:engines --",
  description:
    "Runs the tests on versions of Redis and Valkey that Debian packages, one after the other. They are downloaded to " +
    ".tmp/engines, and not installed.",
  examples: ["npm run test:engines", "npm run test:engines -- --only valkey-9.1 test/lua"],
})
  .usage("[options] [tests...]")
  .argument(
    "[tests...]",
    "files or folders of tests",
    TESTS.map((name) => `test/${name}/`),
  )
  .option("--only <names>", NAMES.join(", "), namesAmong(NAMES), NAMES)
  .action((tests: readonly string[], { only }: Options) => {
    const failed: string[] = [];
    for (const engine of ENGINES.filter(({ name }) => only.includes(name))) {
      const bin = fetchEngine(engine, folder);
      const path = [bin, process.env["PATH"]].join(delimiter);
      const env = { ...process.env, PATH: path, REDIS_URL: undefined };
      const { stdout } = spawnSync("redis-server", ["--version"], { env, encoding: "utf8" });
      console.log(`\n${engine.name}: ${stdout.trim()}`);
      const args = ["run", "--project", "node", ...tests];
      if (spawnSync("vitest", args, { env, stdio: "inherit" }).status !== 0)
        failed.push(engine.name);
    }
    if (failed.length > 0) throw new ProgramError(`Tests failed on ${failed.join(", ")}.`);
  });

await runProgram(program);
