// Builds the package's content into dist/: the program with its dependencies, and the templates. `npm pack` runs it first.

import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { licensesOf } from "../../scripts/support/licenses.ts";
import { PLATFORMS } from "./src/platforms.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = fileURLToPath(new URL("dist", import.meta.url));
/** Files that a template has after somebody has tried it in its place. */
const NOT_SHIPPED = new Set(["node_modules", ".wrangler", ".vercel", ".dev.vars", ".env"]);

process.chdir(root);
rmSync(out, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { "create-tidegate": join(import.meta.dirname, "src/main.ts") },
  outdir: out,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  metafile: true,
  minify: true,
  // A package of it is CommonJS and requires Node's own modules.
  banner: {
    js: `#!/usr/bin/env node
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`,
  },
});
writeFileSync(join(out, "THIRD-PARTY-LICENSES.txt"), licensesOf(metafile));
for (const { template } of Object.values(PLATFORMS)) {
  const folder = join(out, "templates", template);
  cpSync(join("templates", template), folder, {
    recursive: true,
    filter: (source) => !NOT_SHIPPED.has(basename(source)),
  });
  const readme = join(folder, "README.md");
  writeFileSync(readme, awayFromHere(readFileSync(readme, "utf8")));
  // npm leaves files of this name out of a package.
  renameSync(join(folder, ".gitignore"), join(folder, "gitignore"));
}

/** A template's text without what serves in the repository alone: buttons, and paragraphs that link to its files. */
function awayFromHere(text: string): string {
  const paragraphs = text
    .trimEnd()
    .replaceAll(/^<!-- button: \w+ -->\n[^]*?^<!-- end -->\n\n/gm, "")
    .split(/\n\n/)
    .filter((paragraph) => !paragraph.includes("](../"));
  return `${paragraphs.join("\n\n")}\n`;
}
