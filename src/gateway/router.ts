import { foldCase, type Segments } from "./path.ts";

/*
 * Hono's own routers do not fit: they have no `**` and no `*` inside a segment, a `*` after letters ("/login*") covers
 * longer paths as well, and they treat a request's segment `:id` as their own syntax, so that each one doubles the search.
 */

/** A node of the trie: the common prefix of all patterns that lead here. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Children for segments with a `*` inside, by their text. */
  readonly wildcards: Map<string, Wildcard>;
  /** The child for `:name`, whatever the name. */
  name?: Node;
  /** The child for `**`. */
  gap?: Node;
  readonly isGap: boolean;
  /** The routes whose pattern ends here. */
  readonly closed: number[];
  /** The routes whose pattern ends here with a last `*`. */
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
    const segments = foldCase(pattern)
      .split("/")
      .filter((segment) => segment !== "");
    const isOpen = segments.at(-1) === "*";
    if (isOpen) segments.pop();
    const last = segments.reduce(childFor, root);
    (isOpen ? last.open : last.closed).push(index);
  }
  return { find: (path) => search(root, path) };
}

function newNode(isGap = false): Node {
  return { literals: new Map(), wildcards: new Map(), isGap, closed: [], open: [] };
}

/** The child of a node for a segment of a pattern, created if necessary. */
function childFor(node: Node, segment: string): Node {
  if (segment === "**") return (node.gap ??= newNode(true));
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
 * Follows all patterns at once, segment by segment. A pattern has at most one `**`, so each segment reaches a node at
 * most once, and the work is bounded by the length of the path times the size of the trie.
 */
function search(root: Node, path: Segments): readonly number[] {
  const found: number[] = [];
  let reached: Node[] = [];
  arrive(root, reached, found);
  for (const segment of path) {
    const next: Node[] = [];
    for (const node of reached) {
      if (node.isGap) next.push(node);
      const { literals, name, wildcards } = node;
      const literal = literals.get(segment);
      if (literal) arrive(literal, next, found);
      if (name) arrive(name, next, found);
      for (const wildcard of wildcards.values()) {
        if (matches(wildcard, segment)) arrive(wildcard.node, next, found);
      }
    }
    reached = next;
  }
  for (const { closed } of reached) found.push(...closed);
  return found;
}

/** A final `*` also covers zero segments, and so does `**`. */
function arrive(node: Node, reached: Node[], found: number[]): void {
  reached.push(node);
  found.push(...node.open);
  if (node.gap) arrive(node.gap, reached, found);
}

function matches({ before, after }: Wildcard, segment: string): boolean {
  return (
    segment.length >= before.length + after.length &&
    segment.startsWith(before) &&
    segment.endsWith(after)
  );
}
