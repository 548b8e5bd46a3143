// Builds the package's content into dist/: the library as modules, and a program that starts the command line where that is
// installed. `npm pack` and `npm publish` run it first.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { transformSync } from "esbuild";

import { reachedFrom } from "./declarations.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const library = "dist/lib";
const programs = "dist/node";

// A file that is no longer built must not be shipped.
for (const folder of [library, programs]) rmSync(folder, { recursive: true, force: true });
buildLibrary();
buildLauncher();

/** Without source maps: they are twice as large as the modules, which are the sources without their types. */
function buildLibrary(): void {
  // Only code that runs in Node alone gets Node's types: with them the rest could use what other platforms lack.
  for (const project of ["tsconfig.build.json", "tsconfig.build-node.json"]) {
    execFileSync("tsc", ["-p", project], { stdio: "inherit" });
  }
  dropComments();
  dropDeclarations();
}

/** Half of the declarations describe internals that no entry exports. */
function dropDeclarations(): void {
  const { exports, imports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    exports: Record<string, string | { types: string }>;
    imports: Record<string, Record<string, string>>;
  };
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [normalize(entry.types)],
  );
  const reached = reachedFrom(entries, imports);
  for (const name of readdirSync(library, { recursive: true, encoding: "utf8" })) {
    const file = join(library, name);
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
}

/** Declarations keep the docstrings for callers. The other comments are a third of the library, and stay in the repository. */
function dropComments(): void {
  for (const name of readdirSync(library, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue;
    const file = join(library, name);
    writeFileSync(file, transformSync(readFileSync(file, "utf8"), { format: "esm" }).code);
  }
}

function buildLauncher(): void {
  const source = readFileSync("packages/cli/src/launch.ts", "utf8");
  mkdirSync(programs, { recursive: true });
  writeFileSync(
    join(programs, "tidegate.js"),
    transformSync(source, { loader: "ts", format: "esm", banner: "#!/usr/bin/env node" }).code,
  );
}
