// Breaks a copy of the project in small ways, one at a time, and runs the tests that must notice. Prints a table, and
// fails if one of them lived. `npm run test:mutants [-- part of a name]`

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Mutant } from "./mutants/mutant.ts";
import { MUTANTS } from "./mutants/mutants.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "tidegate-mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const left = new Set(["node_modules", ".git", "dist", ".tmp", ".wrangler"]);
cpSync(root, copy, { recursive: true, filter: (path) => !left.has(basename(path)) });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

function run(command: string, args: readonly string[]): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: copy,
    encoding: "utf8",
    timeout: 300_000,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

const node = process.execPath;
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const test = (files: readonly string[]) =>
  run(node, [vitest, "run", "--project", "node", "--bail", "1", ...files]);

/** The first test that noticed, or nothing if none did. */
function kill({ file, find, replace, tests }: Mutant): string | undefined {
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  try {
    writeFileSync(
      path,
      sound.replace(find, () => replace),
    );
    if (file.startsWith("lua/")) run(node, ["scripts/build-lua.ts"]);
    const { ok, output } = test(tests);
    if (ok) return undefined;
    const failed = /^ FAIL +(.*)$/m.exec(output)?.[1];
    if (failed === undefined) throw new Error(`no test failed, and yet the run did:\n${output}`);
    return failed.replace(/^\S*node\S* +/, "");
  } finally {
    writeFileSync(path, sound);
    if (file.startsWith("lua/")) run(node, ["scripts/build-lua.ts"]);
  }
}

const wanted = process.argv[2] ?? "";
const mutants = MUTANTS.filter(({ name }) => name.includes(wanted));
console.log("Unbroken, these tests pass; broken, one must fail:");
const sound = test([...new Set(mutants.flatMap(({ tests }) => tests))]);
if (!sound.ok) {
  console.error(sound.output);
  process.exit(1);
}
let lived = 0;
for (const mutant of mutants) {
  const killer = kill(mutant);
  if (killer === undefined) lived++;
  console.log(`| ${mutant.name} | ${killer ?? "LIVED"} |`);
}
console.log(`${mutants.length - lived} of ${mutants.length} noticed`);
process.exitCode = lived === 0 ? 0 : 1;
