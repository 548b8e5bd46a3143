/** A function that makes the value of an option, with its docstring. */
export interface MadeValue {
  /** As it is called: `lease(time: Duration | "auto")`. */
  readonly call: string;
  readonly doc: string;
  readonly parameters: readonly { readonly name: string; readonly doc: string }[];
}

/** An exported function; `undefined` if the TypeScript file does not export one of this name. */
export function readFunction(source: string, name: string): MadeValue | undefined {
  const declared = new RegExp(
    `^/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport function ${name}(?:<[^(]*>)?\\(((?:[^()]|\\([^)]*\\))*)\\):`,
    "m",
  ).exec(source);
  if (!declared) return undefined;
  const [, comment = "", given = ""] = declared;
  const [doc = "", ...tags] = comment.replaceAll(/^\s*\* ?/gm, "").split(/^@/m);
  const parameters = tags.flatMap((tag) => {
    const [, parameter, text] = /^param (\w+) ([^]+)$/.exec(tag) ?? [];
    return parameter === undefined ? [] : [{ name: parameter, doc: inOneLine(text!) }];
  });
  return { call: `${name}(${shown(given)})`, doc: inOneLine(doc), parameters };
}

/** Parameters as a reader needs them: without `readonly` and type parameters, and with options by the name of their type. */
function shown(given: string): string {
  return inOneLine(given)
    .replaceAll("readonly ", "")
    .replace(/\{[^}]*\}: (\w+) = \{\}/, "options?: $1")
    .replace(/(\w+) = "\w+"/, "$1?: string")
    .replace(": Of", ": Policy")
    .replaceAll("RedisEndpoint | MadeBy<RedisMakers>", "Redis")
    .replace(/,$/, "");
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
