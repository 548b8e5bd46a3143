// Builds lua/ into one TypeScript module that every bundler understands: the script's text with its includes
// resolved, cut into what always runs and one branch per algorithm, so that a bundle has only the branches that it
// uses. `--check` only says whether the committed module is up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { cutBranches } from "./cut-lua.ts";
import { minify } from "./minify-lua.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const entry = join(root, "lua/decide.lua");
const output = join(root, "src/store/scripts.generated.ts");

/** Upstash locks the whole database for a script that does not begin with this line; stock Redis rejects it. */
const KEY_LOCKING = "#!lua flags=allow-key-locking\n";

/** The text of a Lua file with each `-- @include path` line replaced by that file, relative to the including one. */
export function resolveIncludes(file: string, including: readonly string[] = []): string {
  if (including.includes(file)) {
    throw new Error(`lua: ${[...including, file].join(" includes ")}, a cycle`);
  }
  return readFileSync(file, "utf8").replace(
    /^([ \t]*)-- @include (\S+)$/gm,
    (_line, indentation: string, path: string) =>
      resolveIncludes(join(dirname(file), path), [...including, file])
        .trimEnd()
        .replace(/^(?=.)/gm, indentation),
  );
}

/** The generated module, as text. */
export function build(): string {
  const { before, branches, after } = cutBranches(minify(resolveIncludes(entry)));
  const constants = {
    KEY_LOCKING,
    BEFORE: before,
    ...Object.fromEntries(
      [...branches].map(([name, branch]) => [name.toUpperCase().replaceAll("-", "_"), branch]),
    ),
    AFTER: after,
  };
  return [
    "// Generated from lua/ by scripts/build-lua.ts. Do not edit.",
    "",
    ...Object.entries(constants).map(
      ([name, text]) => `export const ${name} = ${JSON.stringify(text)};`,
    ),
    "",
  ].join("\n");
}

if (import.meta.main) {
  const built = build();
  if (!process.argv.includes("--check")) {
    writeFileSync(output, built);
  } else if (readFileSync(output, "utf8") !== built) {
    console.error("src/store/scripts.generated.ts is stale: run `npm run build:lua`");
    process.exitCode = 1;
  }
}
