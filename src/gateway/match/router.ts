import { foldCase, type Segments } from "./path.ts";

/*
 * Hono's own routers do not fit: they have no `**` and no `*` inside a segment, a `*` after letters ("/login*") covers
 * longer paths as well, and they treat a request's segment `:id` as their own syntax, so that each one doubles the search.
 */

/** A node of a trie: the common beginning of all patterns that lead here. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Children for segments with a `*` inside, by their text. */
  readonly wildcards: Map<string, Wildcard>;
  /** The child for `:name`, with any name. */
  name?: Node;
  /** The child for a `**` in patterns with a last `*`. */
  gap?: Node;
  readonly isGap: boolean;
  /** Of patterns with a `**` here and no last `*`: what follows it, as a trie of its own from the end of a path. */
  tails?: Node;
  /** The routes whose pattern ends here. */
  readonly closed: number[];
  /** The routes that cover every path that leads here. */
  readonly open: number[];
}

/** A segment with a `*` inside: any text that begins and ends like this. */
interface Wildcard {
  readonly before: string;
  readonly after: string;
  readonly node: Node;
}

/** Finds the routes that cover a path. */
export interface Router {
  /** @returns their indices in the list of patterns, in no order, and possibly more than once */
  find(path: Segments): readonly number[];
}

/**
 * Compiles the patterns of all routes into one trie. A look-up takes one step per segment of the path, however many
 * patterns there are; only segments with a `*` inside, at the same node, are tried one by one.
 *
 * The segments after a `**` have a trie of their own, from the end of the path, so that no pattern is tried at more than one place. Only a
 * pattern that also has a last `*` is: `checkSought` bounds the segments between the two.
 *
 * Segments are compared as text: no regular expression is built from a configuration.
 *
 * @param patterns such as `/api/rides/:id` or `/api/*`: `:name` stands for one segment, `**` (at most once) for any
 * number of them, `*` within a segment for any characters, and a last `*` for the rest
 * @example
 * compileRouter(["/api/*", "/api/rides/:id"]).find(["api", "rides", "42"]) // [0, 1]
 */
export function compileRouter(patterns: readonly string[]): Router {
  const root = newNode();
  for (const [index, pattern] of patterns.entries()) {
    const { head, tail, isOpen } = parsePattern(foldCase(pattern));
    const start = head.reduce(childFor, root);
    if (tail === undefined) {
      (isOpen ? start.open : start.closed).push(index);
    } else if (isOpen) {
      const gap = (start.gap ??= newNode(true));
      tail.reduce(childFor, gap).open.push(index);
    } else {
      const end = (start.tails ??= newNode());
      tail.toReversed().reduce(childFor, end).open.push(index);
    }
  }
  return { find: (path) => search(root, path) };
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

function newNode(isGap = false): Node {
  return { literals: new Map(), wildcards: new Map(), isGap, closed: [], open: [] };
}

/** The child of a node for a segment of a pattern, created if necessary. */
function childFor(node: Node, segment: string): Node {
  if (segment.startsWith(":")) return (node.name ??= newNode());
  if (!segment.includes("*")) {
    const child = node.literals.get(segment) ?? newNode();
    node.literals.set(segment, child);
    return child;
  }
  const [before, after] = segment.split("*") as [string, string];
  const wildcard = node.wildcards.get(segment) ?? { before, after, node: newNode() };
  node.wildcards.set(segment, wildcard);
  return wildcard.node;
}

/**
 * Follows all patterns at once, segment by segment. A node that no gap leads to is reached by one segment at most,
 * however long the path is.
 */
function search(root: Node, path: Segments): readonly number[] {
  const found: number[] = [];
  let backwards: Segments | undefined;

  /** A gap may stand for no segment, and so may a last `*`: the segment after it may come at once. */
  function arrive(node: Node, depth: number, reached: Node[]): void {
    reached.push(node);
    found.push(...node.open);
    if (node.gap) reached.push(node.gap);
    if (node.tails) follow(node.tails, (backwards ??= path.toReversed()), path.length - depth);
  }

  /** Follows a trie along the first segments of a path, and returns the nodes at the last of them. */
  function follow(start: Node, segments: Segments, length: number): readonly Node[] {
    let reached: Node[] = [];
    arrive(start, 0, reached);
    for (let depth = 0; depth < length && reached.length > 0; depth++) {
      const segment = segments[depth]!;
      const next: Node[] = [];
      for (const node of reached) {
        if (node.isGap) next.push(node);
        const { literals, name, wildcards } = node;
        const literal = literals.get(segment);
        if (literal) arrive(literal, depth + 1, next);
        if (name) arrive(name, depth + 1, next);
        for (const wildcard of wildcards.values()) {
          if (matches(wildcard, segment)) arrive(wildcard.node, depth + 1, next);
        }
      }
      reached = next;
    }
    return reached;
  }

  for (const { closed } of follow(root, path, path.length)) found.push(...closed);
  return found;
}

function matches({ before, after }: Wildcard, segment: string): boolean {
  return (
    segment.length >= before.length + after.length &&
    segment.startsWith(before) &&
    segment.endsWith(after)
  );
}
