import type luaparse from "luaparse";

import { declaredBy, localsIn, type Node, nodes } from "./syntax.ts";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const CAPITALS = LETTERS.map((letter) => letter.toUpperCase());
const SHORT = [
  ...LETTERS,
  ...CAPITALS,
  ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second)),
];
const KEYWORDS = ["do", "if", "in", "or"];

/**
 * Algorithms whose branches take the names that the others leave: they came later, and the scripts without them stay as servers
 * already have them, byte for byte.
 */
const LATER = ["calendar-window", "concurrency"];

/**
 * A short name for each local of some programs, the most used one first: the same in all of them, and shared by locals
 * that never meet, such as those of two algorithms.
 */
export function shortNames(chunks: readonly luaparse.Chunk[]): Map<string, string> {
  const uses = new Map<string, number>();
  const taken = new Set(KEYWORDS);
  const later = new Set(nodes(nodes(chunks).filter(isLaterBranch)));
  const all = nodes(chunks.map(({ body }) => body));
  // Of names that are used equally often, the one that was there first stays first.
  for (const node of [...all.filter((each) => !later.has(each)), ...later]) {
    const { type, name, isLocal } = node;
    if (type === "Identifier" && isLocal)
      uses.set(name!, (uses.get(name!) ?? 0) + Number(!later.has(node)));
    else if (type === "Identifier") taken.add(name!);
  }
  const free = SHORT.filter((name) => !taken.has(name));
  const pairs = meetings(chunks);
  const names = new Map<string, string>();
  for (const [name] of [...uses].sort(([, a], [, b]) => b - a)) {
    const near = new Set([...pairs.get(name)!].map((other) => names.get(other)));
    const short = free.find((candidate) => !near.has(candidate));
    names.set(name, short!);
  }
  return names;
}

function isLaterBranch(node: Node): boolean {
  const { type, condition } = node as unknown as luaparse.IfClause;
  return (
    /^(?:If|Elseif)Clause$/.test(type) &&
    condition.type === "BinaryExpression" &&
    condition.right.type === "StringLiteral" &&
    LATER.includes(condition.right.raw.slice(1, -1))
  );
}

/** For each local those that it meets: one of the two is used or declared in a block that declares the other. */
function meetings(chunks: readonly luaparse.Chunk[]): Map<string, Set<string>> {
  const pairs = new Map<string, Set<string>>();
  const meet = (one: string, other: string) => {
    const others = pairs.get(one) ?? new Set();
    pairs.set(one, others.add(other));
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
  return pairs;
}
