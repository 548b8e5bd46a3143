/**
 * Characters that control a terminal, change the direction or the line of a text, or are not seen: they could hide or forge
 * output.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/** A text of a server or a file as one harmless line. */
export function escape(text: string): string {
  return text.replace(UNSAFE, escapesOf);
}

/** A value as indented JSON, in which the unsafe characters of a text are escapes of JSON. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(UNSAFE, (character) =>
    character === "\n" ? character : escapesOf(character),
  );
}

/** One per unit of UTF-16, as JSON has them. */
function escapesOf(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    const hex = character.charCodeAt(i).toString(16).padStart(4, "0");
    return `\\u${hex}`;
  }).join("");
}
