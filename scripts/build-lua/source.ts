import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expandBranches } from "./branches.ts";
import { inlineFunctions } from "./inline.ts";
import { expandStructs } from "./struct.ts";
import { commentsOf, parse } from "./syntax.ts";

/** The text of a Lua file as Redis runs it: with its includes, its inline functions and its structs in place. */
export function readLua(file: string): string {
  return expandStructs(inlineFunctions(resolveIncludes(file)));
}

/**
 * The text of a Lua file with each `-- @include path` line replaced by that file, relative to the including one, and a branch
 * for each algorithm where they are asked for.
 */
export function resolveIncludes(file: string): string {
  const resolved = resolve(file, []);
  const directives = commentsOf(parse(resolved)).filter(({ value }) => /^\s*@/.test(value));
  const unknown = directives.find(({ value }) => !/^ @(inline$|arguments )/.test(value));
  if (unknown) throw new Error(`lua: --${unknown.value} is not a directive of the build`);
  return resolved;
}

function resolve(file: string, including: readonly string[]): string {
  if (including.includes(file)) {
    throw new Error(`lua: ${[...including, file].join(" includes ")}, a cycle`);
  }
  return expandBranches(readFileSync(file, "utf8"), dirname(file)).replace(
    /^([ \t]*)-- @include (\S+)$/gm,
    (_line, indentation: string, path: string) =>
      resolve(join(dirname(file), path), [...including, file])
        .trimEnd()
        .replace(/^(?=.)/gm, indentation),
  );
}
