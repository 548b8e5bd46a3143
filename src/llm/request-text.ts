import { mediaTokens } from "./media-tokens.ts";
import { mediaAt, mediaIn, mediaOf, type Placed } from "./request-media.ts";
import { HUNDREDTHS, textTokens } from "./text-tokens.ts";

/**
 * The hundredths of tokens of all texts and names in a request, or some number from `most` on if there are more; a number counts as
 * a token. Every text counts, wherever it stands; base64 counts as what it is where a request carries images, audio and files.
 */
export function requestTokens(body: unknown, most: number): number {
  // A list instead of recursion: a body may be nested deeper than the call stack reaches.
  const waiting: Placed[] = [];
  const seen = new Set<object>();

  function weigh(value: unknown, name: string, holder: Placed | undefined): number {
    if (typeof value === "string") {
      const media = mediaIn(value, name, holder);
      if (media) return mediaTokens(media) * HUNDREDTHS;
      const named = mediaAt(value, name, holder);
      return textTokens(value) + (named ? mediaTokens(named) * HUNDREDTHS : 0);
    }
    if (typeof value === "number") return HUNDREDTHS;
    if (typeof value !== "object" || value === null || seen.has(value)) return 0;
    if (ArrayBuffer.isView(value)) {
      const media = mediaOf(value, name, holder);
      return media ? mediaTokens(media) * HUNDREDTHS : textTokens(new TextDecoder().decode(value));
    }
    if (value instanceof URL) return weigh(value.href, name, holder);
    seen.add(value);
    waiting.push({ value, name, holder });
    return 0;
  }

  let sum = weigh(body, "", undefined);
  while (waiting.length > 0 && sum < most) {
    const placed = waiting.pop()!;
    const { value, name, holder } = placed;
    if (Array.isArray(value)) for (const item of value) sum += weigh(item, name, holder);
    else {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) sum += textTokens(key) + weigh(member, key, placed);
      }
    }
  }
  return sum;
}
