import { Refusal } from "./refusal.ts";

/** More than any document needs; what walks through a value calls itself as often. */
const MAX_DEPTH = 32;

const SPACE = /[ \t\r\n]*/y;

/** A text, a number or word, a sign of structure, or the end. */
const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON allows none in a text
  /("[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x1f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:])|($)/y;

type Kind = "text" | "word" | "{" | "}" | "[" | "]" | "," | ":" | "end";

const VALUE: readonly Kind[] = ["text", "word", "{", "["];

/** An object or a list that has begun. */
interface Opened {
  readonly close: "}" | "]";
  /** The names of an object so far; `undefined` for a list. */
  readonly names: Set<string> | undefined;
}

/**
 * Parses JSON in which no name occurs twice in one object; says where it is at fault, and quotes nothing of it. Engines
 * say less: not all of them where a text is at fault, and none that a name is there twice.
 */
export function parseJson(text: string): unknown {
  const around: Opened[] = [];
  let expected = VALUE;
  let previous: Kind | undefined;
  TOKEN.lastIndex = 0;
  while (previous !== "end") {
    SPACE.lastIndex = TOKEN.lastIndex;
    SPACE.exec(text);
    const start = SPACE.lastIndex;
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(text);
    if (!match) throw fault("is not JSON", text, start);
    const kind = kindOf(match);
    if (!expected.includes(kind)) throw fault("is not JSON", text, start);
    const names = around.at(-1)?.names;
    const isName = kind === "text" && names !== undefined && previous !== ":";
    if (isName) {
      const name = JSON.parse(match[1]!) as string;
      if (names.has(name)) throw fault("has a name twice in one object", text, start);
      names.add(name);
    } else if (kind === "{" || kind === "[") {
      around.push(
        kind === "{" ? { close: "}", names: new Set() } : { close: "]", names: undefined },
      );
      if (around.length > MAX_DEPTH) throw fault(`has more than ${MAX_DEPTH} levels`, text, start);
    } else if (kind === "}" || kind === "]") {
      around.pop();
    }
    expected = isName ? [":"] : after(kind, around.at(-1));
    previous = kind;
  }
  return JSON.parse(text);
}

function kindOf([, text, word, sign]: RegExpExecArray): Kind {
  if (text !== undefined) return "text";
  if (word !== undefined) return "word";
  return (sign as Kind | undefined) ?? "end";
}

/** The tokens that may follow in the open object or list. */
function after(kind: Kind, open: Opened | undefined): readonly Kind[] {
  if (kind === ":" || kind === "[") return kind === "[" ? [...VALUE, "]"] : VALUE;
  if (kind === "{") return ["text", "}"];
  if (kind === ",") return open!.names ? ["text"] : VALUE;
  return open ? [",", open.close] : ["end"];
}

function fault(what: string, text: string, position: number): Refusal {
  if (position >= text.length) return new Refusal(400, `The body ${what}: it ends too early.`);
  const lines = text.slice(0, position).split("\n");
  const place = `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
  return new Refusal(400, `The body ${what}: ${place}.`);
}
