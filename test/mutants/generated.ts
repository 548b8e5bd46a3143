import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { lineAt, type Mutant } from "./mutant.ts";
import { breakLua } from "./operators/lua.ts";
import { breakTypeScript } from "./operators/typescript.ts";
import { ROOT } from "./root.ts";
import { testsOf } from "./tests-of.ts";

/** Every file whose lines are the product's own. */
export function productFiles(): readonly string[] {
  return globSync("{{src,packages/{cli,dashboard,redis-rest}/src}/**/*.{ts,tsx},lua/**/*.lua}", {
    cwd: ROOT,
  })
    .filter((file) => !file.endsWith(".generated.ts") && !file.endsWith(".d.ts"))
    .sort();
}

/** The mutants that operators make of files, in the order of the files and of their texts. */
export function generatedMutants(files: readonly string[]): readonly Mutant[] {
  return files.flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), "utf8")));
}

/** The mutants of one file. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const edits = file.endsWith(".lua") ? breakLua(source) : breakTypeScript(source, file);
  const { nearest, tests } = testsOf(file);
  return edits.map(({ operator, start, end, text }) => {
    const was = source.slice(start, end);
    const line = lineAt(source, start);
    const column = start - source.lastIndexOf("\n", start - 1);
    const name = `${file}:${line}:${column} ${operator}: ${short(was)} -> ${short(text)}`;
    return { name, file, line, was, operator, start, end, text, nearest, tests };
  });
}

/** Those of files that have nearest tests, with these only. */
export function nearestOnly(mutants: readonly Mutant[]): readonly Mutant[] {
  return mutants
    .filter(({ nearest }) => nearest.length > 0)
    .map((mutant) => Object.assign({}, mutant, { tests: [] }));
}

/** On one line, as far as it tells. */
const short = (text: string) => {
  const line = text.replace(/\s+/g, " ");
  return line.length > 50 ? `${line.slice(0, 50)}...` : line;
};
