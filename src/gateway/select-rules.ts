import { methodsOf } from "./methods.ts";
import type { Readings } from "./path.ts";
import type { CompiledRoute } from "./route.ts";

/**
 * The rules that limit a request: those that name its path in any reading, and one of its methods.
 *
 * @param refuse whether a request is refused that another origin would see under rules that its path does not name
 * @returns `undefined` for a request to be refused
 */
export function selectRules<Rule extends { readonly route: CompiledRoute }>(
  rules: readonly Rule[],
  { plain, others, wider }: Readings,
  { request, search }: { readonly request: Request; readonly search: string },
  refuse: boolean,
): readonly Rule[] | undefined {
  const selected: Rule[] = [];
  let methods: readonly string[] | undefined;
  for (const rule of rules) {
    const { route } = rule;
    const covered = route.covers(plain);
    const ambiguous = !covered && others.some(route.covers);
    if (!covered && !ambiguous && !wider.some(route.covers)) continue;
    methods ??= methodsOf(request, search);
    if (!route.takes(methods)) continue;
    if (ambiguous && refuse) return undefined;
    selected.push(rule);
  }
  return selected;
}
