import { type MadeValue, readFunction } from "./function.ts";
import { type Option, readInterface, readOmitted } from "./interface.ts";
import { functionBlocks, optionBlocks } from "./option-blocks.ts";

/**
 * Names the interfaces whose options follow, with their file where a name alone is not enough. `A over B` are the options of B as A
 * takes them.
 */
const MARKED =
  /^<!-- options: (\w+(?: (?:and|over) \w+)*)(?: of (\S+))? -->\n[^]*?^<!-- end -->$/gm;

/** Names the functions whose values follow. */
const FUNCTIONS = /^<!-- functions: (\w+(?: \w+)*) -->\n[^]*?^<!-- end -->$/gm;

type Files = ReadonlyMap<string, string>;

/**
 * A document with the options between each pair of markers rebuilt.
 *
 * @param sources texts of TypeScript files by their paths
 * @throws Error naming the interface or the function that is in no file or in several, or the option whose docstring lacks a part
 */
export function withOptions(document: string, sources: Files): string {
  return document
    .replace(MARKED, (_marked, names: string, file: string | undefined) => {
      const begin = `<!-- options: ${names}${file === undefined ? "" : ` of ${file}`} -->`;
      const [, over, base] = /^(\w+) over (\w+)$/.exec(names) ?? [];
      const options =
        over === undefined
          ? names.split(" and ").flatMap((name) => findInterface(name, file, sources).found)
          : optionsOver(over, base!, sources);
      return `${begin}\n\n${optionBlocks(options)}\n\n<!-- end -->`;
    })
    .replace(FUNCTIONS, (_marked, names: string) => {
      const functions = names.split(" ").map((name) => findFunction(name, sources));
      return `<!-- functions: ${names} -->\n\n${functionBlocks(functions)}\n\n<!-- end -->`;
    });
}

/** The options of a base as another interface takes them, but for those that take nothing but a made value. */
function optionsOver(over: string, base: string, sources: Files): readonly Option[] {
  const { path, found } = findInterface(over, undefined, sources);
  const omitted = readOmitted(sources.get(path)!, over, base);
  return findInterface(base, undefined, sources).found.flatMap((option) => {
    const own = found.find(({ name }) => name === option.name);
    if (!own) return omitted.includes(option.name) ? [] : [option];
    return isMade(own) ? [] : [own];
  });
}

/** Whether only a function makes what this option takes. A type parameter of a policy's options stands for such values. */
const isMade = ({ type }: Option) => /^(MadeBy<"[^"]+">|SharedDenials|[A-Z])$/.test(type);

function findInterface(name: string, file: string | undefined, sources: Files) {
  return findIn(sources, name, (path, text) =>
    file === undefined || path === file ? readInterface(text, name) : undefined,
  );
}

function findFunction(name: string, sources: Files): MadeValue {
  return findIn(sources, name, (_path, text) => readFunction(text, name)).found;
}

/** The declarations of one file. */
function findIn<Found>(
  sources: Files,
  name: string,
  read: (path: string, text: string) => Found | undefined,
): { readonly path: string; readonly found: Found } {
  const declared = [...sources].flatMap(([path, text]) => {
    const found = read(path, text);
    return found === undefined ? [] : [{ path, found }];
  });
  if (declared.length === 1) return declared[0]!;
  const where = declared.map(({ path }) => path).join(", ") || "no file";
  throw new Error(`${name} is declared in ${where}: name the one file it should be read from`);
}
