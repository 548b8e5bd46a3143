// Builds the packages that stand beside the library, or only those that are named: `-- cli`. `npm pack` and `npm publish` run
// it first in each of their folders.

import { copyFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Metafile } from "esbuild";

import { buildDashboard } from "../build-dashboard/build.ts";
import { billOfMaterials } from "../support/bill-of-materials.ts";
import { buildProgram } from "./program.ts";
import { copyTemplates } from "./templates.ts";

/** What `tidegate alerts` prints, from the same place in the source and in the package. */
const MONITORING = ["prometheus/alerts.yml", "grafana/tidegate.json"];

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const BUILDS: Readonly<Record<string, (folder: string) => Promise<Metafile>>> = {
  async cli(folder) {
    // As deep as the sources, so that paths relative to a module lead to the same place.
    const program = await buildProgram({
      folder,
      entry: { "node/cli/tidegate": "packages/cli/src/main.ts" },
      chunks: "node/shared/[name]-[hash]",
    });
    const { inputs, outputs } = await buildDashboard(join(folder, "dashboard"));
    for (const file of MONITORING) cpSync(`deploy/${file}`, join(folder, "../deploy", file));
    return {
      inputs: { ...program.inputs, ...inputs },
      outputs: { ...program.outputs, ...outputs },
    };
  },
  async "create-tidegate"(folder) {
    const entry = { "create-tidegate": "packages/create-tidegate/src/main.ts" };
    const program = await buildProgram({ folder, entry });
    copyTemplates(join(folder, "templates"));
    return program;
  },
  dashboard: buildDashboard,
  async "redis-rest"(folder) {
    const entry = { "redis-rest": "packages/redis-rest/src/main.ts" };
    const program = await buildProgram({ folder, entry });
    // It is read at run time, from beside the program.
    copyFileSync("packages/redis-rest/src/declared-keys.lua", join(folder, "declared-keys.lua"));
    return program;
  },
};

const names = process.argv.slice(2);
for (const [name, build] of Object.entries(BUILDS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const folder = join("packages", name, "dist");
  // A file that is no longer built must not be shipped.
  rmSync(folder, { recursive: true, force: true });
  const metafile = await build(folder);
  writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(join("packages", name), metafile));
}
