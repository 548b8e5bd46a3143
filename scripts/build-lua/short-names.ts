import type luaparse from "luaparse";

import { declaredBy, isLocalName, localsIn, type Node, nodes } from "./syntax.ts";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const CAPITALS = LETTERS.map((letter) => letter.toUpperCase());
const SHORT = [
  ...LETTERS,
  ...CAPITALS,
  ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second)),
];
const KEYWORDS = ["do", "if", "in", "or"];

/**
 * The algorithms whose branches share names. Each later one has names of its own, so that the scripts without it stay as servers
 * already have them.
 */
const FIRST = [
  "fixed-window",
  "segmented-window",
  "sliding-window-counter",
  "sliding-window-log",
  "token-bucket",
];

/**
 * A short name for each local of some programs, the most used one first: the same in all of them, and shared by locals
 * that never meet, such as those of two algorithms.
 */
export function shortNames(chunks: readonly luaparse.Chunk[]): (local: Node) => string {
  const all = nodes(chunks);
  const branches = Map.groupBy(all, laterAlgorithm);
  branches.delete(undefined);
  const later = new Set([...branches.values()].flatMap(nodes));
  const globals = all.filter(({ type, isLocal }) => type === "Identifier" && !isLocal);
  const taken = new Set([...KEYWORDS, ...globals.map(({ name }) => name!)]);
  const common = all.filter((node) => !later.has(node));
  const names = assigned(common, later, taken);
  const ofBranch = new Map<Node, ReadonlyMap<string, string>>();
  for (const own of branches.values()) {
    const inside = nodes(own);
    const declared = new Set(inside.flatMap(declaredBy));
    const locals = inside.filter(isLocalName);
    const outer = locals.flatMap(({ name }) => (declared.has(name!) ? [] : names.get(name!)!));
    const owned = locals.filter(({ name }) => declared.has(name!));
    const others = new Set(locals.filter(({ name }) => !declared.has(name!)));
    const blocks = inside.filter(({ type }) => type !== "Identifier");
    const short = assigned([...blocks, ...owned], others, new Set([...taken, ...outer]));
    for (const local of owned) ofBranch.set(local, short);
  }
  return (local) => (ofBranch.get(local) ?? names).get(local.name!)!;
}

/**
 * Names for the locals among these nodes.
 *
 * @param apart nodes inside of them that have other names
 * @param taken names that are in use
 */
function assigned(
  among: readonly Node[],
  apart: ReadonlySet<Node>,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const uses = new Map<string, number>();
  // Names that are used equally often keep their order.
  for (const { name } of among.filter(isLocalName)) uses.set(name!, (uses.get(name!) ?? 0) + 1);
  const free = SHORT.filter((name) => !taken.has(name));
  const pairs = meetings(among, apart);
  const names = new Map<string, string>();
  for (const [name] of [...uses].sort(([, a], [, b]) => b - a)) {
    const near = new Set([...pairs.get(name)!].map((other) => names.get(other)));
    const short = free.find((candidate) => !near.has(candidate));
    names.set(name, short!);
  }
  return names;
}

/** The later algorithm whose branch a node is, if it is one. */
function laterAlgorithm(node: Node): string | undefined {
  if (!/^(?:If|Elseif)Clause$/.test(node.type)) return undefined;
  let { condition: test } = node as unknown as luaparse.IfClause;
  // A refund's branch also asks for the time of the take.
  if (test.type === "LogicalExpression") test = test.left;
  if (test.type !== "BinaryExpression" || test.right.type !== "StringLiteral") return undefined;
  if (test.left.type !== "Identifier" || test.left.name !== "algorithm") return undefined;
  const algorithm = test.right.raw.slice(1, -1);
  return FIRST.includes(algorithm) ? undefined : algorithm;
}

/** For each local those that it meets: one of the two is used or declared in a block that declares the other. */
function meetings(among: readonly Node[], apart: ReadonlySet<Node>): Map<string, Set<string>> {
  const pairs = new Map<string, Set<string>>();
  const meet = (one: string, other: string) => {
    const others = pairs.get(one) ?? new Set();
    pairs.set(one, others.add(other));
  };
  for (const block of among) {
    const locals = localsIn(block).filter((local) => !apart.has(local));
    const inside = new Set(locals.map(({ name }) => name!));
    for (const declared of declaredBy(block)) {
      for (const name of inside) {
        meet(declared, name);
        meet(name, declared);
      }
    }
  }
  return pairs;
}
