import { foldCase, type Segments } from "./path.ts";

/** Which requests a rule is about. */
export interface Route {
  /** In capitals; `*` is every method, and GET is HEAD, too. */
  readonly methods: readonly string[];
  // Not a docstring, which the pattern would end.
  // `/api/rides/:id`, `/api/*`, `/**/login.*`: `:name` stands for one segment, `**` for any number of them, `*` within a
  // segment for any characters, and a last `*` for the rest.
  readonly path: string;
}

/** A route, compiled. */
export interface CompiledRoute {
  /** Whether it is about requests with any of these methods. */
  takes(methods: readonly string[]): boolean;
  /** Whether it is about a path, in one reading of it. */
  covers(path: Segments): boolean;
}

/** Whether a segment is as a pattern's. */
type Matches = (segment: string) => boolean;

/** Compiles a route. Segments are compared as text: no pattern is built from what a configuration says. */
export function compileRoute({ methods, path }: Route): CompiledRoute {
  const pattern = foldCase(path)
    .split("/")
    .filter((segment) => segment !== "");
  const open = pattern.at(-1) === "*";
  if (open) pattern.pop();
  const gap = pattern.indexOf("**");
  const head = (gap === -1 ? pattern : pattern.slice(0, gap)).map(compileSegment);
  const tail = (gap === -1 ? [] : pattern.slice(gap + 1)).map(compileSegment);
  const all = methods.includes("*");

  return {
    takes: (asked) => all || asked.some((method) => methods.includes(method)),
    covers(path) {
      const last = path.length - tail.length;
      if (last < head.length || !matchAt(head, path, 0)) return false;
      if (gap === -1) return open || last === head.length;
      // A closed tail stands at the end; an open one may stand anywhere.
      for (let start = open ? head.length : last; start <= last; start++) {
        if (matchAt(tail, path, start)) return true;
      }
      return false;
    },
  };
}

function compileSegment(pattern: string): Matches {
  if (pattern.startsWith(":")) return () => true;
  const wildcard = pattern.indexOf("*");
  if (wildcard === -1) return (segment) => segment === pattern;
  const [before, after] = [pattern.slice(0, wildcard), pattern.slice(wildcard + 1)];
  return (segment) =>
    segment.length >= before.length + after.length &&
    segment.startsWith(before) &&
    segment.endsWith(after);
}

function matchAt(pattern: readonly Matches[], path: Segments, start: number): boolean {
  return pattern.every((matches, i) => matches(path[start + i]!));
}
