import { methodsOf } from "./methods.ts";
import type { Readings } from "./path.ts";
import { compileRouter } from "./router.ts";

/** Which requests a rule is about. */
export interface Route {
  /** In capitals; `*` means every method, and GET includes HEAD. */
  readonly methods: readonly string[];
  /** A pattern as `compileRouter` takes it. */
  readonly path: string;
}

/**
 * Selects the rules that limit a request: those that cover its path in any reading and name one of its methods, in
 * the order of the list. `undefined` for a request to refuse.
 */
export type SelectRules<Rule> = (
  readings: Readings,
  asked: { readonly request: Request; readonly search: string },
) => readonly Rule[] | undefined;

/**
 * Compiles the rules, so that selecting from thousands costs as much as selecting from ten.
 *
 * @param ambiguousPaths whether to refuse a request that some origin would see under rules that its plain path is not
 * under, or to apply those rules, too
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
    const isAsked = (index: number) => namesAny(rules[index]!.route, methods);
    if (ambiguousPaths === "refuse" && ambiguous.some(isAsked)) return undefined;
    return [...candidates]
      .filter(isAsked)
      .sort((a, b) => a - b)
      .map((index) => rules[index]!);
  };
}

function namesAny({ methods }: Route, asked: readonly string[]): boolean {
  return methods.some((method) => method === "*" || asked.includes(method));
}
