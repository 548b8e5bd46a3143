import { isDeepStrictEqual } from "node:util";

import luaparse from "luaparse";

import { meaningOf } from "./meaning.ts";
import { commentsOf, declaredBy, edit, localsIn, type Node, nodes, parse } from "./syntax.ts";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const SHORT = [...LETTERS, ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second))];
const KEYWORDS = ["do", "if", "in", "or"];

/**
 * Short names for the locals of programs, the most used one first. Each name stands for one name everywhere; one short
 * name stands for several where none of them is declared around a use of another.
 */
function shortNames(chunks: readonly luaparse.Chunk[]): Map<string, string> {
  const uses = new Map<string, number>();
  const taken = new Set(KEYWORDS);
  for (const { type, name, isLocal } of nodes(chunks.map(({ body }) => body))) {
    if (type === "Identifier" && isLocal) uses.set(name!, (uses.get(name!) ?? 0) + 1);
    else if (type === "Identifier") taken.add(name!);
  }
  const free = SHORT.filter((name) => !taken.has(name));
  const meets = meetings(chunks);
  const names = new Map<string, string>();
  for (const [name] of [...uses].sort(([, a], [, b]) => b - a)) {
    const near = new Set([...meets.get(name)!].map((other) => names.get(other)));
    names.set(
      name,
      free.find((short) => !near.has(short))!,
    );
  }
  return names;
}

/** By name of a local, all names that are used or declared in a block that declares it, and the other way round. */
function meetings(chunks: readonly luaparse.Chunk[]): Map<string, Set<string>> {
  const meets = new Map<string, Set<string>>();
  const meet = (a: string, b: string) => {
    const others = meets.get(a) ?? new Set();
    meets.set(a, others.add(b));
  };
  for (const block of nodes(chunks)) {
    const inside = new Set(localsIn(block).map(({ name }) => name!));
    for (const declared of declaredBy(block)) {
      for (const name of inside) {
        meet(declared, name);
        meet(name, declared);
      }
    }
  }
  return meets;
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
  const short = edit(source, [
    ...commentsOf(chunk).map(({ range }) => ({ range, by: "" })),
    ...localsIn(chunk.body).map(({ range, name }) => ({ range, by: names.get(name!)! })),
  ]);
  const minified = close(short);
  if (!isDeepStrictEqual(meaningOf(parse(minified)), meaningOf(chunk))) {
    throw new Error("lua: minifying changed the program");
  }
  return minified;
}
