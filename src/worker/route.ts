import type { Segments } from "./path.ts";

/** Which requests a rule is about. */
export interface Route {
  /** In capitals; `*` is every method, and GET is HEAD, too. */
  readonly methods: readonly string[];
  /** `/api/rides/:id`, `/api/*`: a name stands for one segment, a last `*` for any number of them. */
  readonly path: string;
}

/** Whether a request is one of a route's, by its method and the readings of its path. */
export type Covers = (method: string, readings: readonly Segments[]) => boolean;

/** Compiles a route. Segments are compared as text: no pattern is built from what a configuration says. */
export function compileRoute({ methods, path }: Route): Covers {
  const pattern = path
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");
  return function covers(method, readings) {
    const asked = method === "HEAD" ? "GET" : method.toUpperCase();
    return (
      (methods.includes("*") || methods.includes(asked)) &&
      readings.some((segments) => matches(pattern, segments))
    );
  };
}

function matches(pattern: Segments, segments: Segments): boolean {
  const open = pattern.at(-1) === "*";
  const fixed = open ? pattern.length - 1 : pattern.length;
  if (open ? segments.length < fixed : segments.length !== fixed) return false;
  for (let i = 0; i < fixed; i++) {
    if (!pattern[i]!.startsWith(":") && pattern[i] !== segments[i]) return false;
  }
  return true;
}
