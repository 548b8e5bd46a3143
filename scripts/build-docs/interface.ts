/** One option: a member of an interface with its docstring. */
export interface Option {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly doc: string;
}

/** The options that an interface takes over from another one without these. */
export function readOmitted(source: string, name: string, base: string): readonly string[] {
  const omitted = new RegExp(`interface ${name}\\b[^{]*?Omit<\\s*${base},([^>]*)>`).exec(source);
  return [...(omitted?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, option]) => option!);
}

/** The members that an interface declares itself; `undefined` if the TypeScript file does not declare it. */
export function readInterface(source: string, name: string): readonly Option[] | undefined {
  const head = new RegExp(`^(?:export )?interface ${name}\\b`, "m").exec(source);
  if (!head) return undefined;
  const open = bodyOf(source, head.index + head[0].length);
  return readMembers(source.slice(open + 1, skipTo(source, open + 1, "}")));
}

/** The index at which the body of an interface opens. A `{` in type parameters or arguments does not open it. */
function bodyOf(source: string, from: number): number {
  let angles = 0;
  for (let at = from; ; at++) {
    if (source[at] === "<") angles++;
    else if (source[at] === ">") angles--;
    else if (source[at] === "{" && angles === 0) return at;
  }
}

function readMembers(body: string): readonly Option[] {
  const options: Option[] = [];
  let at = 0;
  while (body.slice(at).trim() !== "") {
    const end = skipTo(body, at, ";");
    options.push(readMember(body.slice(at, end)));
    at = end + 1;
  }
  return options;
}

function readMember(text: string): Option {
  const match = /^(?:\/\*\*(.*?)\*\/)?\s*(?:readonly )?"?([\w-]+)"?(\?)?:(.*)$/s.exec(text.trim());
  if (!match) throw new Error(`not a member with a docstring: ${text.trim()}`);
  const [, comment = "", name, optional, type] = match;
  return {
    name: name!,
    type: type!.replaceAll("readonly ", "").replace(/\s+/g, " ").replace(/^ \| /, "").trim(),
    required: optional === undefined,
    doc: comment.replace(/^\s*\* ?/gm, "").trim(),
  };
}

const CLOSING: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

/** The next `wanted` character outside of comments, quoted text and brackets. */
function skipTo(text: string, from: number, wanted: string): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === wanted) return at;
    if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if (text.startsWith("//", at)) at = text.indexOf("\n", at);
    else if (/["'`]/.test(character)) at = text.indexOf(character, at + 1);
    else if (character in CLOSING) at = skipTo(text, at + 1, CLOSING[character]!);
  }
  throw new Error(`no ${wanted} after: ${text.slice(from, from + 60)}`);
}
