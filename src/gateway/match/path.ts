/** The segments of a path, case-folded, without the slashes between them. */
export type Segments = readonly string[];

/** The ways in which origins read a path. */
export interface Readings {
  /** As it was sent: split at its slashes, each segment decoded once. */
  readonly plain: Segments;
  /** As read by origins that decode escaped slashes, cut at `;`, drop `;` parameters, or decode twice. */
  readonly others: readonly Segments[];
  /**
   * As read by origins that end a path at an escaped `?` or `#`, or drop escaped blanks at its end. Ordinary requests
   * contain these, so such a reading adds rules and is never refused.
   */
  readonly wider: readonly Segments[];
}

/** How many times an origin may decode a path. */
export const ROUNDS = 2;

/** Replaces an escaped slash that stays inside its segment. No path contains NUL itself: `isHostile` refuses it. */
export const INNER_SLASH = "\0";

/** In a decoded path: control characters, backslashes, still escaped slashes and dots, dot segments (also before `;`). */
const HOSTILE = /(?![\x80-\x9f])\p{Cc}|\\|%2[ef]|(?:^|\/)\.{1,2}(?=[/;]|$)/iu;

/**
 * Lists the ways in which origins may read a path. Returns `undefined` for a path that no client has a reason to send.
 *
 * Readings ignore case, repeated slashes, and a slash at the end. Most paths have one reading.
 *
 * @param pathname of a URL, in which unescaped dot segments and backslashes are resolved already
 * @example
 * readPath("/a%2Fb").plain // ["a\0b"], one segment, and there is another reading: ["a", "b"]
 */
export function readPath(pathname: string): Readings | undefined {
  if (!/[%;]/.test(pathname)) return { plain: toSegments(pathname), others: [], wider: [] };
  if (isHostile(pathname)) return undefined;
  const texts = readTexts(pathname);
  return {
    plain: toSegments(decodeSegments(pathname)),
    others: Array.from(texts, toSegments),
    wider: Array.from(texts, endEarly)
      .filter((text) => text !== undefined)
      .flatMap(parameterless)
      .map(toSegments),
  };
}

function isHostile(pathname: string): boolean {
  let text = pathname;
  for (let round = 0; round < ROUNDS; round++) {
    text = decode(text);
    if (HOSTILE.test(text)) return true;
  }
  return false;
}

/** Lists what a path may be when an origin splits it: decoded up to twice, parameters dropped before or after. */
function readTexts(pathname: string): ReadonlySet<string> {
  const texts = new Set(parameterless(pathname));
  let level: ReadonlySet<string> = texts;
  for (let round = 0; round < ROUNDS; round++) {
    level = new Set(
      [...level].flatMap((text) => [decode(text), decodeSegments(text)]).flatMap(parameterless),
    );
    for (const text of level) texts.add(text);
  }
  return texts;
}

/** A text unchanged, without the parameters of its segments, and cut at the first parameter. */
function parameterless(text: string): readonly string[] {
  if (!text.includes(";")) return [text];
  return [text, text.replaceAll(/;[^/]*/g, ""), text.slice(0, text.indexOf(";"))];
}

function endEarly(text: string): string | undefined {
  const end = text.search(/[?#]| +$/);
  return end === -1 ? undefined : text.slice(0, end);
}

function toSegments(text: string): Segments {
  return foldCase(text)
    .split("/")
    .filter((segment) => segment !== "");
}

/** Folds case by way of capitals, because some origins do: there the long s (U+017F) becomes an S. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Decodes each segment by itself. */
function decodeSegments(text: string): string {
  return decode(text.replaceAll(/%2f/gi, INNER_SLASH));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes escapes once. Bytes that are not UTF-8 become U+FFFD; the escapes around them are decoded. */
export function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeBytes(encoder.encode(text));
  }
}

/** Decodes all escapes with one call: a path of many faulty escapes must not cost a call for each. */
function decodeBytes(bytes: Uint8Array): string {
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const escaped = bytes[i] === 0x25 ? fromHex(bytes[i + 1]) * 16 + fromHex(bytes[i + 2]) : NaN;
    if (escaped >= 0) i += 2;
    bytes[length++] = escaped >= 0 ? escaped : bytes[i]!;
  }
  return decoder.decode(bytes.subarray(0, length));
}

/** The value of a hexadecimal digit; NaN for any other byte. */
function fromHex(byte = 0): number {
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  return byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : NaN;
}
