import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { build, type Metafile } from "esbuild";

import { licensesOf } from "../support/licenses.ts";

export interface Program {
  /** The folder that it is built into. */
  readonly folder: string;
  /** Its source by its path in the folder. */
  readonly entry: Readonly<Record<string, string>>;
  /** The folder of its parts that are loaded later. Default: it has none. */
  readonly chunks?: string;
}

/** Bundles a program of Node with its dependencies, beside the licences of the bundled packages. */
export async function buildProgram({ folder, entry, chunks }: Program): Promise<Metafile> {
  const { metafile } = await build({
    // By itself it takes the folder in which the process began.
    absWorkingDir: process.cwd(),
    entryPoints: entry,
    outdir: folder,
    ...(chunks !== undefined && { splitting: true, chunkNames: chunks }),
    bundle: true,
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
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licensesOf(metafile));
  return metafile;
}
