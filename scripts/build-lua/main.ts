// Builds lua/ into one TypeScript module that every bundler understands: the scripts' texts with their includes and inline
// functions resolved. Scripts that decide are cut into their own text and one branch per algorithm, common to all, so that a
// bundle has only the scripts and branches that it uses. The scripts that refund and extend are one text each. The scripts of
// live rules, those of regions and those of drop-ins are modules of their own.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { writeOrCheck } from "../support/built-files.ts";
import { type Cut, cutBranches } from "./cut.ts";
import { minify } from "./minify.ts";
import { readLua } from "./source.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The scripts of decisions, by the names of their files. */
const SCRIPTS = ["decide-one", "decide-enforced", "decide-logs", "decide", "lease", "take"];
/** The scripts of holds: by the same names for their locals, they repeat text of the others, which a compressed bundle has once. */
const HOLD_SCRIPTS = ["refund", "extend"];
/** The scripts that write and read live rules, each a text of its own. */
const LIVE = [
  "publish",
  "draft",
  "put-entry",
  "remove-entry",
  "note",
  "put-back",
  "withdraw",
  "trial",
  "count-trial",
  "read-rules",
  "read-history",
];
/** The scripts that count in the place of another package's store, each a text of its own. */
const DROPINS = ["counter", "throttler"];
/** The scripts of regional stores, each a text of its own. */
const REGION = ["spend", "put"];
const OUTPUT = "src/algorithms/scripts.generated.ts";
const LIVE_OUTPUT = "src/store/control/scripts.generated.ts";
const REGION_OUTPUT = "src/store/region/scripts.generated.ts";
const DROPINS_OUTPUT = "src/dropins/scripts.generated.ts";

/** Upstash locks the whole database for a script that does not begin with this line; stock Redis rejects it. */
const KEY_LOCKING = "#!lua flags=allow-key-locking\n";

/** The generated module, as text. */
function build(): string {
  const minified = minify(
    ...[...SCRIPTS, ...HOLD_SCRIPTS].map((name) => readLua(join(root, `lua/${name}.lua`))),
  );
  const cuts = minified.slice(0, SCRIPTS.length).map(cutBranches);
  const [{ branches }] = cuts as [Cut];
  if (!cuts.every((cut) => isDeepStrictEqual(cut.branches, branches))) {
    throw new Error("lua: the scripts do not have the same branches");
  }
  const [refund, extend] = minified.slice(SCRIPTS.length);
  const [addMetrics] = minify(readLua(join(root, "lua/metrics/add.lua")));
  const [readMetrics] = minify(readLua(join(root, "lua/metrics/read.lua")));
  const constants = [
    ["KEY_LOCKING", KEY_LOCKING],
    ...cuts.map(({ before, after }, i) => [SCRIPTS[i]!, { before, after }] as const),
    ["REFUND", refund!],
    ["EXTEND", extend!],
    ["ADD_METRICS", addMetrics],
    ["READ_METRICS", readMetrics],
    ...branches,
  ] as const;
  return moduleOf(constants);
}

/** The generated module of scripts in a folder, each a text of its own. */
function buildApart(folder: string, names: readonly string[]): string {
  return moduleOf(
    names.map(
      (name) => [name, minify(readLua(join(root, `lua/${folder}/${name}.lua`)))[0]] as const,
    ),
  );
}

function moduleOf(constants: readonly (readonly [name: string, piece: unknown])[]): string {
  return [
    "// Generated from lua/ by scripts/build-lua/main.ts. Do not edit.",
    "",
    ...constants.map(([name, piece]) => {
      const constant = name.toUpperCase().replaceAll("-", "_");
      // A text without a type is its own type, and its declaration as long as the script.
      const type = typeof piece === "string" ? ": string" : "";
      return `export const ${constant}${type} = ${JSON.stringify(piece)};`;
    }),
    "",
  ].join("\n");
}

if (import.meta.main) {
  writeOrCheck("build:lua", {
    [OUTPUT]: build(),
    [LIVE_OUTPUT]: buildApart("live", LIVE),
    [REGION_OUTPUT]: buildApart("region", REGION),
    [DROPINS_OUTPUT]: buildApart("dropins", DROPINS),
  });
}
