import { hasBinaryType, isMedia, type Placed } from "./request-media.ts";

/** OpenAI's rule of thumb for English; Anthropic's is 3.5. Chinese, Japanese and Korean take about one token per character. */
export const CHARACTERS_PER_TOKEN = 4;

/**
 * The characters of all texts and names in a request, or some number from `most` on if there are more; a number counts as a
 * token. Every text counts, wherever it stands, but base64 where a request carries images, audio and files.
 */
export function countCharacters(body: unknown, most: number): number {
  // A list instead of recursion: a body may be nested deeper than the call stack reaches.
  const waiting: Placed[] = [];
  const seen = new Set<object>();

  function weigh(value: unknown, name: string, holder: Placed | undefined): number {
    if (typeof value === "string") return isMedia(value, name, holder) ? 0 : value.length;
    if (typeof value === "number") return CHARACTERS_PER_TOKEN;
    if (typeof value !== "object" || value === null || seen.has(value)) return 0;
    if (ArrayBuffer.isView(value)) return hasBinaryType(name, holder) ? 0 : value.byteLength;
    if (value instanceof URL) return weigh(value.href, name, holder);
    seen.add(value);
    waiting.push({ value, name, holder });
    return 0;
  }

  let characters = weigh(body, "", undefined);
  while (waiting.length > 0 && characters < most) {
    const placed = waiting.pop()!;
    const { value, name, holder } = placed;
    if (Array.isArray(value)) for (const item of value) characters += weigh(item, name, holder);
    else {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) characters += key.length + weigh(member, key, placed);
      }
    }
  }
  return characters;
}
