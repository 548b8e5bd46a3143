import { methodsOf } from "./methods.ts";
import type { Readings } from "./path.ts";
import { compileRouter } from "./router.ts";

/** The requests that a rule covers. */
export interface Route {
  /** In capitals; `*` means every method, and GET includes HEAD. */
  readonly methods: readonly string[];
  /** A pattern as `compileRouter` takes it. */
  readonly path: string;
}

/**
 * Selects the rules that limit a request: those that cover its path in any reading and name one of its methods, in
 * the order of the list. Returns `undefined` if the request must be refused.
 */
export type SelectRules<Rule> = (
  readings: Readings,
  from: { readonly request: Pick<Request, "method" | "headers">; readonly search: string },
) => readonly Rule[] | undefined;

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

  return function selectRules({ plain, others, wider }, { request, search }) {
    const candidates = new Set(find(plain));
    const ambiguous = others.flatMap(find).filter((index) => !candidates.has(index));
    for (const index of [...ambiguous, ...wider.flatMap(find)]) candidates.add(index);
    if (candidates.size === 0) return [];
    const methods = methodsOf(request, search);
    const coversMethod = (index: number) => namesAny(rules[index]!.route, methods);
    if (ambiguousPaths === "refuse" && ambiguous.some(coversMethod)) return undefined;
    return [...candidates]
      .filter(coversMethod)
      .sort((a, b) => a - b)
      .map((index) => rules[index]!);
  };
}

function namesAny(route: Route, methods: readonly string[]): boolean {
  return route.methods.some((method) => method === "*" || methods.includes(method));
}
