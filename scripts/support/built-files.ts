import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The text of a file, or a function that makes it from the committed text. */
export type Built = string | ((committed: string) => string);

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Writes built files, or with `--check` only fails if a committed one is stale.
 *
 * @param script the script of package.json that builds them
 * @param files by their paths from the project's folder
 */
export function writeOrCheck(script: string, files: Readonly<Record<string, Built>>): void {
  for (const [path, build] of Object.entries(files)) {
    const file = ROOT + path;
    const committed = existsSync(file) ? readFileSync(file, "utf8") : "";
    const built = typeof build === "string" ? build : build(committed);
    if (!process.argv.includes("--check")) {
      writeFileSync(file, built);
    } else if (built !== committed) {
      console.error(`${path} is stale: run \`npm run ${script}\``);
      process.exitCode = 1;
    }
  }
}
