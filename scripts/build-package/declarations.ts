import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

import ts from "typescript-5";

/**
 * The declarations that these lead to, themselves included. A file that a condition of the library chooses, such as `#bindings`,
 * counts in each of its forms, which `imports` of the package names.
 */
export function reachedFrom(
  entries: readonly string[],
  imports: Readonly<Record<string, Readonly<Record<string, string>>>>,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const left = [...entries];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const fileName of namedBy(readFileSync(file, "utf8"))) {
      const chosen = imports[fileName];
      const targets = chosen
        ? Object.values(chosen).map((target) => normalize(target))
        : fileName.startsWith(".")
          ? [join(dirname(file), fileName)]
          : [];
      left.push(...targets.map(declarationOf));
    }
  }
  return reached;
}

/** The modules that a file imports or exports. The compiler's quick look at it leaves out `export * as name`. */
function namedBy(text: string): readonly string[] {
  const exported = ts
    .createSourceFile("file.d.ts", text, ts.ScriptTarget.Latest)
    .statements.filter(ts.isExportDeclaration)
    .map(({ moduleSpecifier }) => moduleSpecifier)
    .filter((specifier) => specifier !== undefined && ts.isStringLiteral(specifier))
    .map(({ text: name }) => name);
  return [...ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName), ...exported];
}

/** The declarations of a module. @throws Error if it has none */
function declarationOf(module: string): string {
  const file = module.replace(/(\.d)?\.[jt]s$/, ".d.ts");
  if (existsSync(file)) return file;
  throw new Error(`${module} has no declarations`);
}
