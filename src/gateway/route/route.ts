import type { Decision } from "../../decision/decision.ts";
import { problemResponse } from "../../decision/problem.ts";
import type { Asked } from "../../partition/asked.ts";
import { readPath } from "../match/path.ts";
import { compileSelection } from "../match/select-rules.ts";
import type { Overrides } from "../rules/overrides.ts";
import type { Rule } from "../rules/rule.ts";
import type { Ruleset } from "../rules/ruleset.ts";

/** The first segment of the gateway's own paths; no spelling of it reaches the origin. */
export const OWN = "_tidegate";

const HOSTILE =
  "The path has escaped dot segments, backslashes, control characters, or slashes or dots escaped twice.";
const AMBIGUOUS =
  "The path can be read in several ways, under different limits. Send it without parameters and escapes that it does not need.";

/** A request that rules cover. */
export interface Covered {
  readonly rules: readonly Rule[];
  readonly asked: Asked;
  /** A list lets it pass. */
  readonly exempt: Decision | undefined;
  readonly overrides: Overrides;
  /** Until when a client with this digest is refused. */
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * Finds the rules that cover a request. Returns a response to one that is refused before any rule is asked, and
 * `undefined` for one that no rule covers.
 */
export type FindRules = (request: Request, bindings: unknown) => Covered | Response | undefined;

export function compileFindRules(
  { rules, lists, overrides, refused }: Ruleset,
  ambiguousPaths: "refuse" | "pass",
): FindRules {
  const selectRules = compileSelection(rules, ambiguousPaths);

  return function findRules(request, bindings) {
    const { pathname, search } = new URL(request.url);
    const readings = readPath(pathname);
    if (readings === undefined) return badPath(HOSTILE);
    const { plain, others, wider } = readings;
    const all = [plain, ...others, ...wider];
    if (all.some(([first]) => first === OWN)) return notFound();
    const listed = lists?.(request, bindings);
    if (listed && !listed.allowed) return listed.response();
    const selected = selectRules(readings, { request, search });
    if (selected === undefined) return badPath(AMBIGUOUS);
    if (selected.length === 0) return undefined;
    return {
      rules: selected,
      asked: { request, bindings, readings: all },
      exempt: listed,
      overrides,
      refused,
    };
  };
}

function badPath(detail: string): Response {
  return problemResponse({ type: "about:blank", title: "Bad Request", status: 400, detail });
}

/** The answer to a path of the gateway's own that it does not have. */
export function notFound(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail: "The gateway has nothing at this path.",
  });
}
