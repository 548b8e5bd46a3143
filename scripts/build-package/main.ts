// Builds what the package ships into dist/: the library as modules, and the REST bridge and the command line as one program
// each that brings what it needs. `npm pack` and `npm publish` run it first.

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { build, transformSync } from "esbuild";

import { licensesOf } from "../support/licenses.ts";
import { reachedFrom } from "./declarations.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const library = "dist/lib";
const programs = "dist/node";

// What is not built any more must not be shipped any more.
for (const folder of [library, programs]) rmSync(folder, { recursive: true, force: true });
buildLibrary();
await buildPrograms();

/** Without source maps: they are twice as large as the modules, which are the sources without their types. */
function buildLibrary(): void {
  execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
  dropComments();
  // Which modules stand for "#bindings" is said beside them: for the sources there, for what is built here.
  const manifest = readFileSync("src/package.json", "utf8");
  writeFileSync(join(library, "package.json"), manifest.replaceAll(/\.ts"/g, '.js"'));
  dropDeclarations();
}

/** Half of the declarations describe what no entry shows. */
function dropDeclarations(): void {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [normalize(entry.types)],
  );
  const reached = reachedFrom(entries, library);
  for (const name of readdirSync(library, { recursive: true, encoding: "utf8" })) {
    const file = join(library, name);
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
}

/** Declarations keep what the sources say to whoever calls them; the rest is a third of the library, and stays in the repository. */
function dropComments(): void {
  for (const name of readdirSync(library, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue;
    const file = join(library, name);
    writeFileSync(file, transformSync(readFileSync(file, "utf8"), { format: "esm" }).code);
  }
}

async function buildPrograms(): Promise<void> {
  const { metafile } = await build({
    entryPoints: {
      "bridge/redis-rest": "src/node/bridge/main.ts",
      "cli/tidegate": "src/node/cli/main.ts",
    },
    outdir: programs,
    // As deep as the sources, so that paths relative to a module lead to the same place.
    chunkNames: "shared/[name]-[hash]",
    bundle: true,
    // Both have a client of Redis.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    metafile: true,
    // Its other form requires its own files in a way that is not seen here.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    minify: true,
    // Some packages are CommonJS and require Node's own modules.
    banner: {
      js: `#!/usr/bin/env node
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`,
    },
  });
  // It is read at run time, from beside the program.
  copyFileSync("src/node/bridge/declared-keys.lua", join(programs, "bridge/declared-keys.lua"));
  writeFileSync(join(programs, "THIRD-PARTY-LICENSES.txt"), licensesOf(metafile));
}
