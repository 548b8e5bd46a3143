/** Controls, marks of direction, and invisible characters: a name may pass for another one by them. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** A text of clients with everything in it to be seen. */
export function plain(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `\\u{${character.codePointAt(0)!.toString(16).padStart(4, "0")}}`,
  );
}

/** The same of a text of several lines, whose ends stay. */
export function plainLines(text: string): string {
  return text.split("\n").map(plain).join("\n");
}

/** Its text in a table cell. */
const MAX_SHOWN = 160;

/** The beginning of a long text, and how much there is. */
export function clipped(text: string): string {
  const shown = plain(text.slice(0, 8 * MAX_SHOWN));
  if (shown.length <= MAX_SHOWN) return shown;
  return `${shown.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}
