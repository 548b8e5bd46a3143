// Builds lua/ into one TypeScript module that every bundler understands: the scripts' texts with their includes
// and inline functions resolved. Those that decide are cut into what is each one's own and one branch per algorithm that
// all have in common, so that a bundle has only the scripts and branches that it uses; the refund is one text.
// `--check` only says whether the committed module is up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { type Cut, cutBranches } from "./cut.ts";
import { minify } from "./minify.ts";
import { readLua } from "./source.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What Redis runs for every decision, by the names of their files. */
const SCRIPTS = ["decide-one", "decide", "lease"];
const output = join(root, "src/algorithms/scripts.generated.ts");

/** Upstash locks the whole database for a script that does not begin with this line; stock Redis rejects it. */
const KEY_LOCKING = "#!lua flags=allow-key-locking\n";

/** The generated module, as text. */
export function build(): string {
  const sources = SCRIPTS.map((name) => readLua(join(root, `lua/${name}.lua`)));
  const cuts = minify(...sources).map(cutBranches);
  const [{ branches }] = cuts as [Cut];
  if (!cuts.every((cut) => isDeepStrictEqual(cut.branches, branches))) {
    throw new Error("lua: the scripts do not have the same branches");
  }
  // By itself, so that it changes no name in the others.
  const [refund] = minify(readLua(join(root, "lua/refund.lua")));
  const constants = [
    ["KEY_LOCKING", KEY_LOCKING],
    ...cuts.map(({ before, after }, i) => [SCRIPTS[i]!, { before, after }] as const),
    ["REFUND", refund],
    ...branches,
  ] as const;
  return [
    "// Generated from lua/ by scripts/build-lua/main.ts. Do not edit.",
    "",
    ...constants.map(
      ([name, piece]) =>
        `export const ${name.toUpperCase().replaceAll("-", "_")} = ${JSON.stringify(piece)};`,
    ),
    "",
  ].join("\n");
}

if (import.meta.main) {
  const built = build();
  if (!process.argv.includes("--check")) {
    writeFileSync(output, built);
  } else if (readFileSync(output, "utf8") !== built) {
    console.error("src/algorithms/scripts.generated.ts is stale: run `npm run build:lua`");
    process.exitCode = 1;
  }
}
