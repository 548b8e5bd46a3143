import { canonicalMethod, methodsInstead } from "../../src/gateway/match/methods.ts";
import type { Readings, Segments } from "../../src/gateway/match/path.ts";
import type { Asked, Route } from "../../src/gateway/match/select-rules.ts";
import { foldCase } from "../../src/partition/decode.ts";

/*
 * The reference for the router: every rule is tried by itself, against every reading. Slow, and as easy to check by eye as
 * the rules' definition.
 */

/** The rules that limit a request, in their order; `ambiguous` for a request to be refused. */
export function selectOneByOne<Rule extends { readonly route: Route }>(
  rules: readonly Rule[],
  ambiguousPaths: "refuse" | "pass",
): (readings: Readings, asked: Pick<Asked, "request">) => readonly Rule[] | "ambiguous" {
  const compiled = rules.map((rule) => ({ rule, ...compileRoute(rule.route) }));

  return ({ plain, others, wider }, { request }) => {
    const selected: Rule[] = [];
    let methods: ReadonlySet<string> | undefined;
    for (const { rule, covers, takes } of compiled) {
      const covered = covers(plain);
      const ambiguous = !covered && others.some(covers);
      if (!covered && !ambiguous && !wider.some(covers)) continue;
      methods ??= new Set([canonicalMethod(request.method), ...methodsInstead(request)]);
      if (!takes(methods)) continue;
      if (ambiguous && ambiguousPaths === "refuse") return "ambiguous";
      selected.push(rule);
    }
    return selected;
  };
}

/** Whether a segment is as a pattern's. */
type Matches = (segment: string) => boolean;

function compileRoute({ methods, path }: Route) {
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
    takes: (asked: ReadonlySet<string>) => all || methods.some((method) => asked.has(method)),
    covers(path: Segments): boolean {
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
