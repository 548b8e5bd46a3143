/**
 * Control characters, and those that change the direction or the line of a text: in a terminal they could hide or forge
 * what is shown.
 */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g;

/** A text of a server or a file as one harmless line. */
export function escape(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${hexOf(character)}`);
}

/** A value as indented JSON, in which what is unsafe in a text is an escape of JSON. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(UNSAFE, (character) =>
    character === "\n" ? character : `\\u${hexOf(character)}`,
  );
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
