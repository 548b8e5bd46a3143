import { escape, toJson } from "./escape.ts";

/** Prints lines without unsafe characters: texts from elsewhere are escaped before. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

export function printJson(value: unknown): void {
  print(toJson(value));
}

/** Prints beside the result, for people. */
export function note(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${line}\n`).join(""));
}

/** A value in one line, as in the document, shortened. */
export function inline(value: unknown): string {
  const text = escape(JSON.stringify(value) ?? "nothing");
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
}

/** A number of things: `1 rule`, `2 rules`. */
export function count(number: number, thing: string, things = `${thing}s`): string {
  return `${number} ${number === 1 ? thing : things}`;
}
