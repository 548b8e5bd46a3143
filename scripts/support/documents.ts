import { readFileSync, writeFileSync } from "node:fs";

/** Makes a document's text from its committed text. */
export type BuildDocument = (committed: string) => string;

/** Writes documents, or with `--check` fails if a committed one is stale. Paths are those from the project's folder. */
export function buildDocuments(documents: Readonly<Record<string, BuildDocument>>): void {
  for (const [path, build] of Object.entries(documents)) {
    const committed = readFileSync(path, "utf8");
    const built = build(committed);
    if (!process.argv.includes("--check")) {
      writeFileSync(path, built);
    } else if (built !== committed) {
      console.error(`${path} is stale: run \`npm run build:docs\``);
      process.exitCode = 1;
    }
  }
}
