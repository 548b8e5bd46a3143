import { methodsOf } from "./methods.ts";
import type { Readings } from "./path.ts";
import { compileRouter, type Found } from "./router.ts";
import type { Steps } from "./steps.ts";

/** The requests that a rule covers. */
export interface Route {
  /** In capitals; `*` means every method, and GET includes HEAD. */
  readonly methods: readonly string[];
  /** A pattern as `compileRouter` takes it. */
  readonly path: string;
}

/** A request whose rules are selected. */
export interface Asked {
  readonly request: Pick<Request, "method" | "headers" | "url">;
  /** Counts those of all readings but the plain one. */
  readonly steps: Steps;
}

/**
 * Selects the rules that limit a request: those that cover its path in any reading and name one of its methods, in the
 * order of the list. Or says why the request must be refused: its readings name different rules, or take too many steps.
 */
export type SelectRules<Rule> = (
  readings: Readings,
  asked: Asked,
) => readonly Rule[] | "ambiguous" | "manifold";

/**
 * Compiles the rules, so that selecting from thousands costs as much as selecting from ten.
 *
 * @param ambiguousPaths what happens if one of the `others` readings matches a rule that the plain reading does not:
 * `"refuse"` refuses the request, `"pass"` applies that rule, too
 */
export function compileSelection<Rule extends { readonly route: Route }>(
  rules: readonly Rule[],
  ambiguousPaths: "refuse" | "pass",
): SelectRules<Rule> {
  const { find } = compileRouter(rules.map(({ route }) => route.path));

  return function selectRules({ plain, others, wider }, { request, steps }) {
    const found: Found = new Set();
    find(plain, found);
    const covering = found.size;
    for (const reading of others) if (!steps.areTooMany) steps.take(find(reading, found));
    const ambiguous = [...found].slice(covering).flat();
    for (const reading of wider) if (!steps.areTooMany) steps.take(find(reading, found));
    if (steps.areTooMany) return "manifold";
    if (found.size === 0) return [];
    const methods = methodsOf(request);
    const coversMethod = (index: number) => namesAny(rules[index]!.route, methods);
    if (ambiguousPaths === "refuse" && ambiguous.some(coversMethod)) return "ambiguous";
    return [...found]
      .flat()
      .filter(coversMethod)
      .sort((a, b) => a - b)
      .map((index) => rules[index]!);
  };
}

function namesAny(route: Route, methods: ReadonlySet<string>): boolean {
  return route.methods.some((method) => method === "*" || methods.has(method));
}
