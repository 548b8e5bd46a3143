/** An item of a list of strings with integer parameters, all of RFC 9651 that the rate limit fields use. */
export interface Item {
  readonly value: string;
  readonly parameters: Readonly<Record<string, number>>;
}

const STRING = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
const PARAMETER = /; *([a-z*][a-z0-9_.*-]*)=(-?\d{1,15})(?![\d.])/y;
const COMMA = /[ \t]*,[ \t]*(?!$)/y;

/** Parses as RFC 9651, section 4.2, and throws where it says to fail. */
export function parseList(field: string): readonly Item[] {
  const items: Item[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(field);
    if (match) at = pattern.lastIndex;
    return match;
  };
  do {
    const string = take(STRING);
    if (!string) throw new Error(`no string at ${at} of ${field}`);
    const parameters: Record<string, number> = {};
    for (let found = take(PARAMETER); found; found = take(PARAMETER)) {
      parameters[found[1]!] = Number(found[2]);
    }
    items.push({ value: string[1]!.replace(/\\(.)/g, "$1"), parameters });
  } while (take(COMMA));
  if (at !== field.length) throw new Error(`rest at ${at} of ${field}`);
  return items;
}
