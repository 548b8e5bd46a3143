import { foldCase } from "../../partition/decode.ts";
import type { Segments } from "./path.ts";
import { compileSought } from "./sought.ts";
import { matches, type Wildcard, wildcardOf } from "./wildcard.ts";

/*
 * Hono's own routers do not fit: they have no `**` and no `*` inside a segment, a `*` after letters ("/login*") covers
 * longer paths as well, and they treat a request's segment `:id` as their own syntax, so that each one doubles the search.
 */

/** A node of a trie: the common beginning of all patterns that lead here. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Children for segments with a `*` inside, by their text. */
  readonly wildcards: Map<string, Wildcard & { readonly node: Node }>;
  /** The child for `:name`, with any name. */
  name?: Node;
  /** The lists of segments between a `**` here and a last `*`, one for each such pattern. */
  readonly gaps: number[];
  /** The segments after a `**` here, for patterns without a last `*`: a trie of its own from the end of a path. */
  tails?: Node;
  /** The routes whose pattern ends here. */
  readonly closed: number[];
  /** The routes that cover every path that leads here. */
  readonly open: number[];
}

/** Routes by the place of their pattern, each route in one list only. */
export type Found = Set<readonly number[]>;

/** Finds the routes that cover a path. */
export interface Router {
  /**
   * Adds the routes to those that were found before.
   *
   * @returns how many steps it took
   */
  find(path: Segments, found: Found): number;
}

/**
 * Compiles the patterns of all routes into one trie. A look-up takes one step per segment of the path, however many
 * patterns there are; only segments with a `*` inside, at the same node, are tried one by one.
 *
 * The segments after a `**` have a trie of their own, from the end of the path, so that no pattern is tried at more than
 * one place. Only a pattern that also has a last `*` is looked for everywhere: `checkSearchedSegments` bounds the segments between
 * the two.
 *
 * Segments are compared as text: no regular expression is built from a configuration.
 *
 * @param patterns such as `/api/rides/:id` or `/api/*`: `:name` stands for one segment, `**` (at most once) for any
 * number of them, `*` within a segment for any characters, and a last `*` for the rest
 * @example
 * compileRouter(["/api/*", "/api/rides/:id"]).find(["api", "rides", "42"], found) // adds [0] and [1]
 */
export function compileRouter(patterns: readonly string[]): Router {
  const root = newNode();
  const lists: Segments[] = [];
  const routesOf: number[][] = [];
  for (const [index, pattern] of patterns.entries()) {
    const { head, tail, isOpen } = parsePattern(foldCase(pattern));
    const start = head.reduce(childFor, root);
    if (tail === undefined) {
      (isOpen ? start.open : start.closed).push(index);
    } else if (isOpen) {
      start.gaps.push(lists.length);
      lists.push(tail);
      routesOf.push([index]);
    } else {
      const end = (start.tails ??= newNode());
      tail.toReversed().reduce(childFor, end).open.push(index);
    }
  }
  const sought = compileSought(lists);

  return {
    find(path, found) {
      let steps = 0;
      let starts: Map<number, readonly number[]> | undefined;
      let reached: readonly Node[] = [root];
      for (let depth = 0; reached.length > 0; depth++) {
        for (const node of reached) {
          steps += 1 + node.wildcards.size;
          if (node.open.length > 0) found.add(node.open);
          if (node.closed.length > 0 && depth === path.length) found.add(node.closed);
          if (node.gaps.length > 0) {
            starts ??= new Map();
            starts.set(depth, [...(starts.get(depth) ?? []), ...node.gaps]);
          }
          if (node.tails) steps += findTails(node.tails, path, depth, found);
        }
        if (depth === path.length) break;
        reached = childrenOf(reached, path[depth]!);
      }
      if (starts) steps += sought.search(path, starts, (list) => found.add(routesOf[list]!));
      return steps;
    },
  };
}

/** Finds the patterns whose tail ends a path, and leaves so many segments to what stands before it. */
function findTails(tails: Node, path: Segments, before: number, found: Found): number {
  let steps = 0;
  let reached: readonly Node[] = [tails];
  for (let end = path.length; reached.length > 0; end--) {
    for (const node of reached) {
      steps += 1 + node.wildcards.size;
      if (node.open.length > 0) found.add(node.open);
    }
    if (end === before) break;
    reached = childrenOf(reached, path[end - 1]!);
  }
  return steps;
}

/** The segments of a pattern without a last `*`: those before a `**`, and those after it if there is one. */
export interface Pattern {
  readonly head: Segments;
  readonly tail: Segments | undefined;
  /** Whether it has a last `*`. */
  readonly isOpen: boolean;
}

export function parsePattern(pattern: string): Pattern {
  const segments = pattern.split("/").filter((segment) => segment !== "");
  const isOpen = segments.at(-1) === "*";
  if (isOpen) segments.pop();
  // Right before a last `*` it adds nothing.
  const gap = isOpen && segments.at(-1) === "**" ? -1 : segments.indexOf("**");
  const fixed = segments.filter((segment) => segment !== "**");
  return gap === -1
    ? { head: fixed, tail: undefined, isOpen }
    : { head: fixed.slice(0, gap), tail: fixed.slice(gap), isOpen };
}

function newNode(): Node {
  return { literals: new Map(), wildcards: new Map(), gaps: [], closed: [], open: [] };
}

/** The child of a node for a segment of a pattern, created if necessary. */
function childFor(node: Node, segment: string): Node {
  if (segment.startsWith(":")) return (node.name ??= newNode());
  if (!segment.includes("*")) {
    const child = node.literals.get(segment) ?? newNode();
    node.literals.set(segment, child);
    return child;
  }
  const wildcard = node.wildcards.get(segment) ?? { ...wildcardOf(segment), node: newNode() };
  node.wildcards.set(segment, wildcard);
  return wildcard.node;
}

/** The nodes behind the next segment. Each node has one parent, so that each is reached once, however long a path is. */
function childrenOf(nodes: readonly Node[], segment: string): readonly Node[] {
  const children: Node[] = [];
  for (const { literals, name, wildcards } of nodes) {
    const literal = literals.get(segment);
    if (literal) children.push(literal);
    if (name) children.push(name);
    for (const wildcard of wildcards.values()) {
      if (matches(wildcard, segment)) children.push(wildcard.node);
    }
  }
  return children;
}
