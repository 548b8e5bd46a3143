import {
  BACKSLASH,
  CLOSE,
  CLOSE_LIST,
  COLON,
  COMMA,
  isByteOrderMark,
  isEndOfScalar,
  isSpace,
  OPEN,
  OPEN_LIST,
  QUOTE,
  unescaped,
} from "./json-bytes.ts";
import { type JsonVisitor, LONGEST } from "./json-visitor.ts";

/** Reads JSON that arrives in pieces of any length. */
export interface JsonScanner {
  /** Reads the bytes from one index to before another. */
  scan(bytes: Uint8Array, from: number, to: number): void;
  /** Says that the bytes that follow begin a new document. */
  restart(): void;
  /** Says that no bytes follow, so that a number ends here. */
  end(): void;
}

/** The part of the document that the next byte belongs to. In `over`, no byte matters: the document is not JSON. */
type State =
  | "document"
  | "value"
  | "name-or-end"
  | "name"
  | "colon"
  | "scalar"
  | "text"
  | "passed"
  | "after"
  | "over";

/**
 * Its memory does not depend on the document: it keeps a position in the grammar, the name and the value that it reads, and
 * for each place that the visitor has entered whether that is a list. A document may follow another one.
 */
export function createJsonScanner(visitor: JsonVisitor): JsonScanner {
  let state: State = "document";
  let lists: boolean[] = [];
  let name: string | undefined;
  /** The characters read so far of a name or a value. */
  let text = "";
  let isEscaped = false;
  let hasEscapes = false;
  /** How many objects and lists are open that were not entered. */
  let depth = 0;

  function beginDocument(byte: number): void {
    if (byte === OPEN || byte === OPEN_LIST) {
      visitor.begin();
      name = undefined;
      open(byte === OPEN_LIST);
    } else if (!isByteOrderMark(byte)) state = "over";
  }

  function open(isList: boolean): void {
    if (visitor.enter(name, isList)) {
      lists.push(isList);
      name = undefined;
      state = isList ? "value" : "name-or-end";
    } else {
      depth = 1;
      state = "passed";
    }
  }

  function close(): void {
    lists.pop();
    visitor.leave();
    endValue();
  }

  function endValue(): void {
    state = lists.length > 0 ? "after" : "document";
  }

  function beginText(next: "name" | "text"): void {
    state = next;
    text = "";
    hasEscapes = false;
  }

  function beginName(byte: number): void {
    if (byte === QUOTE) beginText("name");
    else if (byte === CLOSE) close();
    else state = "over";
  }

  function beginValue(byte: number): void {
    if (byte === QUOTE) beginText("text");
    else if (byte === OPEN || byte === OPEN_LIST) open(byte === OPEN_LIST);
    else if (byte === CLOSE_LIST && lists.at(-1)) close();
    else if (isEndOfScalar(byte)) state = "over";
    else {
      state = "scalar";
      text = String.fromCharCode(byte);
    }
  }

  function readScalar(byte: number): void {
    if (isEndOfScalar(byte)) {
      endScalar();
      if (!isSpace(byte)) readAfter(byte);
    } else if (text.length <= LONGEST) text += String.fromCharCode(byte);
  }

  function endScalar(): void {
    visitor.scalar(name, text, false);
    endValue();
  }

  function readAfter(byte: number): void {
    const isList = lists.at(-1)!;
    name = undefined;
    if (byte === COMMA) state = isList ? "value" : "name-or-end";
    else if (byte === (isList ? CLOSE_LIST : CLOSE)) close();
    else state = "over";
  }

  /** Reads a name or a text, or passes over one. Returns where its end was passed, or `to`. */
  function readText(bytes: Uint8Array, from: number, to: number): number {
    const isKept = depth === 0;
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = hasEscapes = true;
      else if (byte === QUOTE) {
        endText();
        return at + 1;
      }
      if (isKept && text.length <= LONGEST) text += String.fromCharCode(byte);
    }
    return to;
  }

  function endText(): void {
    if (depth > 0) {
      state = "passed";
      return;
    }
    const read = hasEscapes ? unescaped(text) : text;
    if (state === "name") {
      name = read;
      state = "colon";
    } else {
      visitor.scalar(name, read, true);
      endValue();
    }
  }

  /** Returns where a string begins or the outermost bracket was closed, or `to`. */
  function passOver(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) state = "text";
      else if (byte === OPEN || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
      else continue;
      if (depth === 0) endValue();
      if (state !== "passed") return at + 1;
    }
    return to;
  }

  function step(byte: number): void {
    if (state === "scalar") readScalar(byte);
    else if (isSpace(byte)) return;
    else if (state === "name-or-end") beginName(byte);
    else if (state === "colon") state = byte === COLON ? "value" : "over";
    else if (state === "value") beginValue(byte);
    else if (state === "after") readAfter(byte);
    else beginDocument(byte);
  }

  return {
    scan(bytes, from, to) {
      let at = from;
      while (at < to) {
        // Almost all bytes are in texts and in what is passed over, so these have loops of their own.
        if (state === "passed") at = passOver(bytes, at, to);
        else if (state === "name" || state === "text") at = readText(bytes, at, to);
        else if (state === "over") return;
        else step(bytes[at++]!);
      }
    },

    restart() {
      state = "document";
      lists = [];
      isEscaped = false;
      depth = 0;
    },

    end() {
      if (state === "scalar") endScalar();
    },
  };
}
