// Builds the packages that stand beside the library, or only those that are named: `-- cli`. `npm pack` and `npm publish` run
// it first in each of their folders.

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildDashboard } from "../build-dashboard/build.ts";
import { buildProgram } from "./program.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const BUILDS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  async cli(folder) {
    // As deep as the sources, so that paths relative to a module lead to the same place.
    await buildProgram({
      folder,
      entry: { "node/cli/tidegate": "packages/cli/src/main.ts" },
      chunks: "node/shared/[name]-[hash]",
    });
    await buildDashboard(join(folder, "dashboard"));
  },
  dashboard: buildDashboard,
  async "redis-rest"(folder) {
    await buildProgram({ folder, entry: { "redis-rest": "packages/redis-rest/src/main.ts" } });
    // It is read at run time, from beside the program.
    copyFileSync("packages/redis-rest/src/declared-keys.lua", join(folder, "declared-keys.lua"));
  },
};

const names = process.argv.slice(2);
for (const [name, build] of Object.entries(BUILDS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const folder = join("packages", name, "dist");
  // A file that is no longer built must not be shipped.
  rmSync(folder, { recursive: true, force: true });
  await build(folder);
}
