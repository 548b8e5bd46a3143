/** A path as its segments: what stands between the slashes, in one case. */
export type Segments = readonly string[];

/** The ways in which origins read a path. */
export interface Readings {
  /** As it was sent: split at its slashes, each segment decoded once. */
  readonly plain: Segments;
  /** By origins that cut at `;`, drop `;` parameters or decode twice. What these differ in, no rule can decide. */
  readonly others: readonly Segments[];
  /** By origins that end a path at an escaped `?`, `#` or blank. People send those: they only add rules. */
  readonly wider: readonly Segments[];
}

/** How often origins decode. */
const ROUNDS = 2;

/** Stands for an escaped slash that stays part of a name. NUL itself never gets past `isHostile`. */
const INNER_SLASH = "\0";

/** Control characters, backslashes, slashes and dots escaped once more, segments of dots also before a parameter. */
const HOSTILE = /(?![\x80-\x9f])\p{Cc}|\\|%2[ef]|(?:^|\/)\.{1,2}(?=[/;]|$)/iu;

/**
 * The ways in which origins may read a path; `undefined` where it has what no client has a reason to send.
 *
 * Case, repeated slashes and one at the end make no difference. Most paths have one reading.
 *
 * @param pathname of a URL, which has resolved the dots and backslashes that stand in it as they are
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

/** What an origin may have made of a path before it splits it, parameters taken away before any decoding or after. */
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

/** A text as it is, with the parameters of its segments dropped, and cut at the first of them. */
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

/** One case for texts that some origin takes for the same: the long s is an S in capitals. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Decodes each segment by itself. */
function decodeSegments(text: string): string {
  return decode(text.replaceAll(/%2f/gi, INNER_SLASH));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes escapes once. What is not UTF-8 becomes U+FFFD, and hides nothing that stands beside it. */
function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeBytes(encoder.encode(text));
  }
}

/** All at once: a path of nothing but faulty escapes must not cost a call for each. */
function decodeBytes(bytes: Uint8Array): string {
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const escaped = bytes[i] === 0x25 ? fromHex(bytes[i + 1]) * 16 + fromHex(bytes[i + 2]) : NaN;
    if (escaped >= 0) i += 2;
    bytes[length++] = escaped >= 0 ? escaped : bytes[i]!;
  }
  return decoder.decode(bytes.subarray(0, length));
}

/** A digit's value; not a number where there is none. */
function fromHex(byte = 0): number {
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  return byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : NaN;
}
