import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { PLATFORMS } from "../../packages/create-tidegate/src/platforms.ts";

/** Files that a template has after somebody has tried it in its place. */
const NOT_SHIPPED = new Set(["node_modules", ".wrangler", ".vercel", ".dev.vars", ".env"]);

/** Copies the templates of gateways into the package that makes them. */
export function copyTemplates(out: string): void {
  for (const { template } of Object.values(PLATFORMS)) {
    const folder = join(out, template);
    cpSync(join("templates", template), folder, {
      recursive: true,
      filter: (source) => !NOT_SHIPPED.has(basename(source)),
    });
    const readme = join(folder, "README.md");
    writeFileSync(readme, awayFromHere(readFileSync(readme, "utf8")));
    // npm leaves files of this name out of a package.
    renameSync(join(folder, ".gitignore"), join(folder, "gitignore"));
  }
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
