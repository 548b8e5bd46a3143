import { type Option, readInterface } from "./interface.ts";
import { optionTable } from "./option-table.ts";

/** Names the interfaces whose options follow, with their file where a name alone is not enough. */
const MARKED = /^<!-- options: (\w+(?: and \w+)*)(?: of (\S+))? -->\n[^]*?^<!-- end -->$/gm;

/**
 * A document with the table between each pair of markers rebuilt.
 *
 * @param sources texts of TypeScript files by their paths
 * @throws Error naming the interface that is in no file or in several, or the option whose docstring lacks a part
 */
export function withOptionTables(document: string, sources: ReadonlyMap<string, string>): string {
  return document.replace(MARKED, (_marked, names: string, file: string | undefined) => {
    const options = names.split(" and ").flatMap((name) => findInterface(name, file, sources));
    const begin = `<!-- options: ${names}${file === undefined ? "" : ` of ${file}`} -->`;
    return `${begin}\n\n${optionTable(options)}\n\n<!-- end -->`;
  });
}

function findInterface(
  name: string,
  file: string | undefined,
  sources: ReadonlyMap<string, string>,
): readonly Option[] {
  const found = [...sources].flatMap(([path, text]) => {
    const options = file === undefined || path === file ? readInterface(text, name) : undefined;
    return options ? [{ path, options }] : [];
  });
  if (found.length === 1) return found[0]!.options;
  const where = found.map(({ path }) => path).join(", ") || "no file";
  throw new Error(`${name} is declared in ${where}: name the one file it should be read from`);
}
