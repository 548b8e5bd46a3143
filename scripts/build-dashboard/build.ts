import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { licensesOf } from "../support/licenses.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = join(root, "src/dashboard");

/** Where it is served from: the page, and `assets` beside it. */
export const DASHBOARD = join(root, "dist/dashboard");

/**
 * Builds the dashboard: a page, one script and one stylesheet, whose names change with their contents. Several processes
 * may build it at once, so that nothing is missing in between: files of before go last.
 */
export async function buildDashboard(folder = DASHBOARD): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { dashboard: join(source, "main.tsx") },
    outdir: join(folder, "assets"),
    entryNames: "[name]-[hash]",
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["chrome111", "firefox113", "safari16.4"],
    metafile: true,
    minify: true,
    write: false,
    legalComments: "none",
    // Its other form requires its own files in a way that is not seen here.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  });
  const assets = join(folder, "assets");
  mkdirSync(assets, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const named = (kind: string) =>
    relative(folder, outputFiles.find(({ path }) => path.endsWith(kind))!.path);
  const page = readFileSync(join(source, "index.html"), "utf8")
    .replace("dashboard.js", named(".js"))
    .replace("dashboard.css", named(".css"));
  writeFileSync(join(folder, "index.html"), page);
  const kept = outputFiles.map(({ path }) => basename(path));
  for (const file of readdirSync(assets)) {
    if (!kept.includes(file)) rmSync(join(assets, file), { force: true });
  }
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licensesOf(metafile));
}
