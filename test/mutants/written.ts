import { readFileSync } from "node:fs";
import { join } from "node:path";

import { lineAt, type Mutant } from "./mutant.ts";
import { ROOT } from "./root.ts";

/** A mutant that is written by hand, for a promise. */
export interface Written {
  /** How the promise is broken. */
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. The shorter it is, the more changes of the code it survives. */
  readonly find: string;
  readonly replace: string;
  /** Files of tests, as vitest takes them. */
  readonly tests: readonly string[];
}

/** @throws if the text does not stand exactly once in its file */
export function located({ name, file, find, replace, tests }: Written): Mutant {
  const source = readFileSync(join(ROOT, file), "utf8");
  const start = source.indexOf(find);
  if (start < 0) throw new Error(`${name}: ${file} has no ${JSON.stringify(find)}`);
  if (source.includes(find, start + 1))
    throw new Error(`${name}: ${file} has ${JSON.stringify(find)} more than once`);
  const end = start + find.length;
  const line = lineAt(source, start);
  const edit = { operator: "promise", start, end, was: find, text: replace } as const;
  return { ...edit, name, file, line, tests, nearest: [] };
}
