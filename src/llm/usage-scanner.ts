import {
  DOCUMENT,
  type FieldTree,
  FIRST_USAGE,
  type TokenCounts,
  type TokenTally,
  USAGE,
} from "./usage.ts";

/**
 * Finds the numbers of `usage` in JSON that arrives in pieces of any length. It keeps no text: a position in the grammar,
 * the places it is in (at most four), and the name it reads, so its memory does not depend on the document.
 */
export interface UsageScanner {
  /** Reads the bytes from one index to before another. */
  scan(bytes: Uint8Array, from: number, to: number): void;
  /** Says that the bytes that follow begin a new document. */
  restart(): void;
}

/** The part of the document that the next byte belongs to. In `over`, no byte matters: the document has ended, or is no JSON object. */
type State =
  | "document"
  | "name-or-end"
  | "name"
  | "colon"
  | "value"
  | "scalar"
  | "string"
  | "nested"
  | "after"
  | "over";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const ZERO = 0x30;

/** The length of `cache_creation_input_tokens`. A longer name is none that is looked for. */
const LONGEST_NAME = 27;

export function createUsageScanner(tally: TokenTally): UsageScanner {
  let state: State = "document";
  let places: FieldTree[] = [];
  /** The name being read, or the last one read; `undefined` if it is none that is looked for. */
  let name: string | undefined;
  let isEscaped = false;
  /** How many objects and lists without a place of their own are open. */
  let depth = 0;
  /** The number being read; `NaN` if it is another word, or not a whole number. */
  let number = NaN;
  let counts: TokenCounts = {};

  function begin(byte: number): void {
    if (byte === OPEN) open(DOCUMENT);
    else if (!isSpace(byte) && !isByteOrderMark(byte)) state = "over";
  }

  function open(tree: FieldTree): void {
    places.push(tree);
    if (tree === USAGE || tree === FIRST_USAGE) counts = {};
    state = "name-or-end";
  }

  function readName(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === QUOTE) state = "colon";
    else if (byte === BACKSLASH) {
      isEscaped = true;
      // Encoders do not escape letters in these names.
      name = undefined;
    } else if (name !== undefined) {
      name = name.length < LONGEST_NAME ? name + String.fromCharCode(byte) : undefined;
    }
  }

  function beginValue(byte: number): void {
    if (isSpace(byte)) return;
    if (byte === QUOTE) state = "string";
    else if (byte === OPEN) openValue();
    else if (byte === OPEN_LIST) openNested();
    else if (byte === COMMA || byte === CLOSE || byte === CLOSE_LIST) state = "over";
    else {
      number = digitOf(byte);
      state = "scalar";
    }
  }

  function openValue(): void {
    const tree = name === undefined ? undefined : places.at(-1)!.get(name);
    if (tree) open(tree);
    else openNested();
  }

  function openNested(): void {
    depth = 1;
    state = "nested";
  }

  function readScalar(byte: number): void {
    if (byte === COMMA || byte === CLOSE || isSpace(byte)) {
      endScalar();
      readAfter(byte);
    } else number = number * 10 + digitOf(byte);
  }

  function endScalar(): void {
    state = "after";
    // A number beyond 2^53 would not be exact.
    if (name === undefined || !Number.isSafeInteger(number)) return;
    if (places.at(-1)!.get(name) === null) counts[name as keyof TokenCounts] = number;
  }

  function readAfter(byte: number): void {
    if (byte === COMMA) state = "name-or-end";
    else if (byte === CLOSE) close();
    else if (!isSpace(byte)) state = "over";
  }

  function close(): void {
    const tree = places.pop();
    // Not number by number: half of a usage would be another usage.
    if (tree === USAGE || tree === FIRST_USAGE) tally.add(counts, tree === FIRST_USAGE);
    state = places.length > 0 ? "after" : "over";
  }

  function beginName(byte: number): void {
    if (byte === QUOTE) {
      name = "";
      state = "name";
    } else if (byte === CLOSE) close();
    else if (!isSpace(byte)) state = "over";
  }

  /** Returns where the string's end was passed, or `to`. */
  function skipString(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        state = depth > 0 ? "nested" : "after";
        return at + 1;
      }
    }
    return to;
  }

  /** Returns where a string begins or the outermost bracket was closed, or `to`. */
  function skipNested(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) state = "string";
      else if (byte === OPEN || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
      else continue;
      if (depth === 0) state = "after";
      if (state !== "nested") return at + 1;
    }
    return to;
  }

  function readColon(byte: number): void {
    if (byte === COLON) state = "value";
    else if (!isSpace(byte)) state = "over";
  }

  function step(byte: number): void {
    if (state === "name") readName(byte);
    else if (state === "name-or-end") beginName(byte);
    else if (state === "colon") readColon(byte);
    else if (state === "value") beginValue(byte);
    else if (state === "scalar") readScalar(byte);
    else if (state === "after") readAfter(byte);
    else begin(byte);
  }

  return {
    scan(bytes, from, to) {
      let at = from;
      while (at < to) {
        // Almost all bytes are in the two that are skipped, so these have loops of their own.
        if (state === "string") at = skipString(bytes, at, to);
        else if (state === "nested") at = skipNested(bytes, at, to);
        else if (state === "over") return;
        else step(bytes[at++]!);
      }
    },

    restart() {
      state = "document";
      places = [];
      isEscaped = false;
      depth = 0;
    },
  };
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isByteOrderMark = (byte: number) => byte === 0xef || byte === 0xbb || byte === 0xbf;

const digitOf = (byte: number) => (byte >= ZERO && byte <= ZERO + 9 ? byte - ZERO : NaN);
