import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import type { Mutant, Result } from "./mutant.ts";
import { ROOT } from "./root.ts";
import { type Ended, runNode } from "./run-node.ts";

/** A copy of the project that may be broken. */
export interface Sandbox {
  /** @throws with the output of the tests, if they fail while nothing is broken */
  expectSound(tests: readonly string[]): Promise<void>;
  /** Runs the nearest tests of a mutant, then the others, until one fails. */
  try(mutant: Mutant): Promise<Omit<Result, "mutant" | "seconds">>;
}

const LEFT_OUT = new Set(["node_modules", ".git", "dist", ".tmp", ".wrangler"]);
const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");

const FIRST_ONLY = ["--bail", "1"];
/** A busy machine makes a test fail once. A broken test fails again. */
const TWICE = ["--retry", "1"];

/** A promise that is not awaited may fail after its test: then the run fails, and no test does. */
const failedIn = (output: string) => /^(?: FAIL +|\W+(?=Unhandled ))(.*?)\W*$/m.exec(output)?.[1];

/** Without the project before its name, and the tries after it. */
const testIn = (failed: string) =>
  failed
    .replace(/^\S*(?:node|programs|browser|workerd|edge)\S* +/, "")
    .replace(/ \(initial run.*$/, "");

/** The folder of a test names the runtime that it needs: those in Node belong to the limiter or to a program. */
function projectsOf(test: string): readonly string[] {
  if (test.startsWith("test/dashboard")) return ["browser"];
  const [, runtime] = /^test\/(workerd|edge)\b/.exec(test) ?? [];
  return runtime === undefined ? ["node", "programs"] : [runtime];
}

export function createSandbox(): Sandbox {
  const copy = mkdtempSync(join(tmpdir(), "tidegate-mutants-"));
  process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));

  const node = (args: readonly string[]) => runNode(copy, args);
  // What is translated here goes with the copy.
  const ownCache = ["--fsModuleCachePath", join(copy, ".tmp/modules")];
  const test = (tests: readonly string[], ...options: string[]) => {
    const projects = [...new Set(tests.flatMap(projectsOf))].flatMap((name) => ["--project", name]);
    return node([vitest, "run", ...ownCache, ...projects, ...options, ...tests]);
  };

  async function outcomeOf(tests: readonly string[]): Promise<Omit<Result, "mutant" | "seconds">> {
    let run = await test(tests, ...FIRST_ONLY, ...TWICE);
    // Vitest names no test if it ends at the first failure in one file before another file has begun.
    if (run.status === "failed" && failedIn(run.output) === undefined)
      run = await test(tests, ...TWICE);
    if (run.status === "passed") return { outcome: "survived" };
    if (run.status === "timeout") return { outcome: "timeout" };
    const failed = failedIn(run.output);
    if (failed === undefined)
      throw new Error(`no test failed, and yet the run did:\n${run.output}`);
    return { outcome: "noticed", by: testIn(failed) };
  }

  return {
    async expectSound(tests) {
      // A machine that stalls once breaks nothing.
      const { status, output } = await test(tests, ...FIRST_ONLY, "--retry", "2");
      if (status !== "passed") throw new Error(output);
    },

    async try({ file, start, end, text, nearest, tests }) {
      const path = join(copy, file);
      const sound = readFileSync(path, "utf8");
      const build = (): Promise<Ended> | undefined =>
        file.startsWith("lua/") ? node(["scripts/build-lua/main.ts"]) : undefined;
      writeFileSync(path, sound.slice(0, start) + text + sound.slice(end));
      try {
        const built = await build();
        if (built && built.status !== "passed") return { outcome: "noticed", by: "build:lua" };
        for (const stage of [nearest, tests]) {
          if (stage.length === 0) continue;
          const result = await outcomeOf(stage);
          if (result.outcome !== "survived") return result;
        }
        return { outcome: "survived" };
      } finally {
        writeFileSync(path, sound);
        await build();
      }
    },
  };
}
