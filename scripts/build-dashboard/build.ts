import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build, type Metafile } from "esbuild";

import { licensesOf } from "../support/licenses.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = join(root, "packages/dashboard/src");

/** The folder that it is served from: the page, and `assets` beside it. */
export const DASHBOARD = join(root, "dist/dashboard");

/**
 * Builds the dashboard: a page, a stylesheet, the script of the page and those that it loads later. The names of the scripts
 * change with their contents. Several processes may build it at once while it is served, so that no file may be missing or half
 * written in between: old files are removed last.
 */
export async function buildDashboard(folder = DASHBOARD): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { dashboard: join(source, "main.tsx") },
    outdir: join(folder, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["chrome111", "firefox113", "safari16.4"],
    metafile: true,
    minify: true,
    write: false,
    legalComments: "none",
    alias: {
      // Its other form requires its own files in a way that is not seen here.
      "jsonc-parser": "jsonc-parser/lib/esm/main.js",
      "@vscode/l10n": join(source, "code/untranslated.ts"),
    },
  });
  const assets = join(folder, "assets");
  mkdirSync(assets, { recursive: true });
  const put = (path: string, contents: string | Uint8Array) => {
    // Beside the folder: a server that lists it while this runs then finds all files of its list.
    const unfinished = `${folder}.${randomUUID()}`;
    writeFileSync(unfinished, contents);
    renameSync(unfinished, path);
  };
  for (const { path, contents } of outputFiles) put(path, contents);
  const outputs = Object.entries(metafile.outputs);
  const [script, { imports, cssBundle }] = outputs.find(([, { entryPoint }]) =>
    entryPoint?.endsWith("main.tsx"),
  )!;
  const named = (file: string) => relative(folder, join(root, file));
  // The page lists the imports of its script, so that a browser asks for everything at once.
  const preloads = imports
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => `<link rel="modulepreload" href="${named(path)}" />`);
  const page = readFileSync(join(source, "index.html"), "utf8")
    .replace("dashboard.js", named(script))
    .replace("dashboard.css", named(cssBundle!))
    .replace("<!-- preloads -->", preloads.join("\n    "));
  put(join(folder, "index.html"), page);
  const kept = outputFiles.map(({ path }) => basename(path));
  for (const file of readdirSync(assets)) {
    if (!kept.includes(file)) rmSync(join(assets, file), { force: true });
  }
  put(join(folder, "THIRD-PARTY-LICENSES.txt"), licensesOf(metafile));
  return metafile;
}
