// Builds what the package ships into dist/: the library as modules, and the REST bridge as one program that brings what
// it needs. `npm pack` and `npm publish` run it first.

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, type Metafile } from "esbuild";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const library = "dist/lib";
const programs = "dist/bin";

// What is not built any more must not be shipped any more.
for (const folder of [library, programs]) rmSync(folder, { recursive: true, force: true });
buildLibrary();
await buildBridge();

/** Without source maps: they are twice as large as the modules, which are the sources without their types. */
function buildLibrary(): void {
  execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
  // Which modules stand for "#bindings" is said beside them: for the sources there, for what is built here.
  const manifest = readFileSync("src/package.json", "utf8");
  writeFileSync(join(library, "package.json"), manifest.replaceAll(/\.ts"/g, '.js"'));
}

async function buildBridge(): Promise<void> {
  const { metafile } = await build({
    entryPoints: { "redis-rest": "scripts/redis-rest/main.ts" },
    outdir: programs,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    metafile: true,
    // ioredis is CommonJS and requires Node's own modules.
    banner: {
      js: `#!/usr/bin/env node
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`,
    },
  });
  // It is read at run time, from beside the program.
  copyFileSync("scripts/redis-rest/declared-keys.lua", join(programs, "declared-keys.lua"));
  writeFileSync(join(programs, "THIRD-PARTY-LICENSES.txt"), licensesOf(metafile));
}

/** The licences of the packages that a bundle has in it, which ask to go with it. */
function licensesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map(licenseOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
  };
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence that could be shipped with it`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
