import { isDeepStrictEqual } from "node:util";

import luaparse from "luaparse";

function parse(source: string): luaparse.Chunk {
  return luaparse.parse(source, { luaVersion: "5.1", comments: true, ranges: true, scope: true });
}

/** What the parser says of a piece of source; the type declarations leave the range and the scope out. */
interface Node {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly name?: string;
  readonly isLocal?: boolean;
}

/** Every node below one, itself included. */
function* nodes(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value) yield value as Node;
  for (const child of Object.values(value)) yield* nodes(child);
}

/** A program with its locals renamed, and without where it stands in the source. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((child) => renamed(child, names));
  if (typeof value !== "object" || value === null) return value;
  const { isLocal, name } = value as Node;
  const entries = Object.entries(value)
    .filter(([key]) => !["range", "comments", "globals"].includes(key))
    .map(([key, child]) => [key, renamed(child, names)] as const);
  return Object.fromEntries([...entries, ...(isLocal ? [["name", names.get(name!) ?? name]] : [])]);
}

/** Short names for the locals of programs, the most used one first. Each name stands for one name everywhere. */
function shortNames(chunks: readonly luaparse.Chunk[]): Map<string, string> {
  const uses = new Map<string, number>();
  const taken = new Set(["do", "if", "in", "or"]);
  for (const { type, name, isLocal } of nodes(chunks.map(({ body }) => body))) {
    if (type === "Identifier" && isLocal) uses.set(name!, (uses.get(name!) ?? 0) + 1);
    else if (type === "Identifier") taken.add(name!);
  }
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const free = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))]
    .filter((name) => !taken.has(name))
    .values();
  const byUse = [...uses].sort(([, a], [, b]) => b - a);
  return new Map(byUse.map(([name]) => [name, free.next().value!]));
}

/** Replaces pieces of a text, each by its range. */
function replace(
  text: string,
  pieces: readonly { range: readonly [number, number]; by: string }[],
): string {
  return pieces
    .toSorted((a, b) => b.range[0] - a.range[0])
    .reduce(
      (done, { range: [start, end], by }) => done.slice(0, start) + by + done.slice(end),
      text,
    );
}

/** What would be read as one thing: two words, a comment's beginning, a number and the dots of a concatenation. */
const TOGETHER = /\w\w|--|[\d.][\d.]/;

/** A program with spaces only where words would run together, and line breaks where there were some. */
function close(source: string): string {
  const parser = luaparse.parse("", {
    luaVersion: "5.1",
    comments: false,
    ranges: true,
    wait: true,
  });
  parser.write(source);
  let closed = "";
  let end = 0;
  for (;;) {
    const token = parser.lex() as unknown as Node & { readonly type: number };
    const [start, next] = token.range;
    const between = source.slice(end, start);
    const piece = source.slice(start, next);
    if (piece === "") return closed;
    if (between.includes("\n") && closed !== "") closed += "\n";
    else if (between !== "" && TOGETHER.test(closed.slice(-1) + piece[0]!)) closed += " ";
    closed += piece;
    end = next;
  }
}

/**
 * Drops comments, indentation and spaces and shortens the names of locals: all of it would cost cold start. The parser
 * finds them, and proves that each program is still the same. What programs have in common stays the same in all.
 */
export function minify<Sources extends readonly string[]>(
  ...sources: Sources
): { [Index in keyof Sources]: string } {
  const chunks = sources.map(parse);
  const names = shortNames(chunks);
  return sources.map((source, i) => minifyOne(source, chunks[i]!, names)) as {
    [Index in keyof Sources]: string;
  };
}

function minifyOne(
  source: string,
  chunk: luaparse.Chunk,
  names: ReadonlyMap<string, string>,
): string {
  const comments = (chunk.comments ?? []) as unknown as Node[];
  const locals = [...nodes(chunk.body)].filter(
    ({ type, isLocal }) => type === "Identifier" && isLocal,
  );
  const short = replace(source, [
    ...comments.map(({ range }) => ({ range, by: "" })),
    ...locals.map(({ range, name }) => ({ range, by: names.get(name!)! })),
  ]);
  const minified = close(short);
  if (!isDeepStrictEqual(renamed(parse(minified), new Map()), renamed(chunk, names))) {
    throw new Error("lua: minifying changed the program");
  }
  return minified;
}
