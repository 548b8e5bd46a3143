import { decode, foldCase } from "../../partition/decode.ts";
import type { Steps } from "./steps.ts";

/** The segments of a path, case-folded, without the slashes between them. */
export type Segments = readonly string[];

/** The ways in which origins read a path. */
export interface Readings {
  /** As it was sent: split at its slashes, each segment decoded once. */
  readonly plain: Segments;
  /** As read by origins that decode escaped slashes, cut at `;`, drop `;` parameters, or decode twice. */
  readonly others: readonly Segments[];
  /**
   * As read by origins that end a path at an escaped `?` or `#`, drop escaped blanks at its end, or take an empty
   * segment for a `:name`, as Fastify takes that of "/rides/". Ordinary requests contain these, so such a reading adds
   * rules and is never refused.
   */
  readonly wider: readonly Segments[];
}

/** Why a path is not read: no client has a reason to send it, or its readings take more steps than there may be. */
export type Unread = "hostile" | "manifold";

/** How many times an origin may decode a path. */
export const ROUNDS = 2;

/** Replaces an escaped slash that stays inside its segment. No path contains NUL itself: `isHostile` refuses it. */
export const INNER_SLASH = "\0";

/** In a decoded path: control characters of ASCII, backslashes, still escaped slashes and dots. */
const HOSTILE = /[^ -~\x80-\uffff]|\\|%2[ef]/i;

/** Dot segments, also before `;`. */
const DOTS = /(?:^|\/)\.{1,2}(?=[/;]|$)/;

/** Splitting a segment off and looking it up takes as long as this many characters. */
const STEPS_OF_SEGMENT = 8;

/**
 * Lists the ways in which origins may read a path, or says why that is not done.
 *
 * Readings ignore case, repeated slashes, and a slash at the end. Most paths have one reading.
 *
 * @param pathname of a URL, in which unescaped dot segments and backslashes are resolved already
 * @param steps counts those of all readings but the plain one
 * @example
 * readPath("/a%2Fb", new Steps()).plain // ["a\0b"], one segment, and there is another reading: ["a", "b"]
 */
export function readPath(pathname: string, steps: Steps): Readings | Unread {
  if (!/[%;]/.test(pathname)) {
    return {
      plain: segmentsOf(pathname),
      others: [],
      wider: readingsOf(withEmpty([pathname]), steps, splitSegments),
    };
  }
  if (isHostile(pathname)) return "hostile";
  const plain = decodeSegments(pathname);
  const texts = readTexts(pathname, steps);
  const ended = new Set<string>();
  addParameterless(endings(texts), ended, steps);
  const empty = withEmpty([...texts, ...ended]);
  texts.delete(plain);
  const readings = {
    plain: segmentsOf(plain),
    others: readingsOf(texts, steps, segmentsOf),
    wider: [...readingsOf(ended, steps, segmentsOf), ...readingsOf(empty, steps, splitSegments)],
  };
  return steps.areTooMany ? "manifold" : readings;
}

function isHostile(pathname: string): boolean {
  let text = pathname;
  for (let round = 0; round < ROUNDS; round++) {
    text = decode(text);
    if (HOSTILE.test(text) || DOTS.test(text)) return true;
  }
  return false;
}

/** Lists what a path may be when an origin splits it: decoded up to twice, parameters dropped before or after. */
function readTexts(sent: string, steps: Steps): Set<string> {
  const texts = new Set<string>();
  let level = addParameterless([sent], texts, steps);
  for (let round = 0; round < ROUNDS; round++) {
    level = addParameterless(decodings(level, steps), texts, steps);
  }
  return texts;
}

/** Each text, decoded in the ways that make a difference; none of a text without escapes. */
function* decodings(texts: readonly string[], steps: Steps): Iterable<string> {
  for (const text of texts) {
    if (!text.includes("%")) continue;
    steps.take(text.length);
    yield decode(text);
    if (!/%2f/i.test(text)) continue;
    steps.take(text.length);
    yield decodeSegments(text);
  }
}

/** Each text that some origin ends early, up to there: at a `?` or `#`, or at the blanks behind it. */
function* endings(texts: Iterable<string>): Iterable<string> {
  for (const text of texts) {
    const [cut = ""] = /^[^?#]*/.exec(text)!;
    let end = cut.length;
    while (cut[end - 1] === " ") end--;
    if (end < text.length) yield cut.slice(0, end);
  }
}

/**
 * Adds texts, each unchanged, without the parameters of its segments, and cut at the first parameter, as long as there
 * are steps left. Returns those that are new.
 */
function addParameterless(
  from: Iterable<string>,
  to: Set<string>,
  steps: Steps,
): readonly string[] {
  const added: string[] = [];
  for (const text of from) {
    for (const each of parameterless(text)) {
      steps.take(each.length);
      if (to.has(each)) continue;
      to.add(each);
      added.push(each);
    }
    if (steps.areTooMany) break;
  }
  return added;
}

function parameterless(text: string): readonly string[] {
  if (!text.includes(";")) return [text];
  return [text, text.replace(/;[^/]*/g, ""), text.slice(0, text.indexOf(";"))];
}

function readingsOf(
  texts: Iterable<string>,
  steps: Steps,
  split: (text: string) => Segments,
): readonly Segments[] {
  const readings: Segments[] = [];
  for (const text of texts) {
    if (steps.areTooMany) break;
    const segments = split(text);
    steps.take(segments.length * STEPS_OF_SEGMENT);
    readings.push(segments);
  }
  return readings;
}

function segmentsOf(text: string): Segments {
  return splitSegments(text).filter((segment) => segment !== "");
}

/** The segments behind the first slash, with those that are empty. */
function splitSegments(text: string): Segments {
  return foldCase(text).split("/").slice(1);
}

/** The texts with an empty segment. "/" has none: a rule for "/:name" does not limit the home page. */
function withEmpty(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => /[^/]/.test(text) && /\/(?:\/|$)/.test(text));
}

/** Decodes each segment by itself. */
function decodeSegments(text: string): string {
  return decode(text.replace(/%2f/gi, INNER_SLASH));
}
