import { canonicalMethod, methodsInstead } from "./methods.ts";
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

const NO_RULES: readonly never[] = [];

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

  return function selectRules(readings, { request, steps }) {
    const found: Found = new Set();
    find(readings.plain, found);
    const covering = found.size;
    for (const reading of readings.others) if (!steps.areTooMany) steps.take(find(reading, found));
    const ambiguous = found.size > covering ? [...found].slice(covering).flat() : [];
    for (const reading of readings.wider) if (!steps.areTooMany) steps.take(find(reading, found));
    if (steps.areTooMany) return "manifold";
    if (found.size === 0) return NO_RULES;
    const own = canonicalMethod(request.method);
    // Every field and the query can name another method, so they are read only where a rule is not covered without.
    let others: ReadonlySet<string> | undefined;
    const coversMethod = (index: number) => {
      const { methods } = rules[index]!.route;
      if (methods.includes("*") || methods.includes(own)) return true;
      others ??= methodsInstead(request);
      return methods.some((method) => others!.has(method));
    };
    if (ambiguousPaths === "refuse" && ambiguous.some(coversMethod)) return "ambiguous";
    return [...found]
      .flat()
      .filter(coversMethod)
      .sort((a, b) => a - b)
      .map((index) => rules[index]!);
  };
}
