import type { Listed, Unidentified } from "../../adapter/decide-request.ts";
import { problemResponse } from "../../decision/problem.ts";
import { askedRequest, isPreflight } from "../cors/preflight.ts";
import { readPath } from "../match/path.ts";
import { compileSelection } from "../match/select-rules.ts";
import type { Rule } from "../rules/rule.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import { readClient, type RuledClient } from "./read-client.ts";

/** The first segment of the gateway's own paths; no spelling of it reaches the origin. */
export const OWN = "_tidegate";

const HOSTILE =
  "The path has escaped dot segments, backslashes, control characters, or slashes or dots escaped twice.";
const AMBIGUOUS =
  "The path can be read in several ways, under different limits. Send it without parameters and escapes that it does not need.";

/** The rules that cover a request. */
interface Covered {
  readonly rules: readonly Rule[];
}

/** The gateway's treatment of a request. */
export type Routed =
  /** Pass it on: no rule covers it. */
  | { readonly kind: "uncovered" }
  /** Answer it: a browser asks for permission to send a request that a rule covers. */
  | { readonly kind: "preflight" }
  /** Answer it under any rules: its path is hostile or ambiguous, or its client is on the list `deny`. */
  | { readonly kind: "refused"; readonly response: Response }
  /** Answer it: it lacks an identity, which a rule asks for. */
  | (Unidentified & Covered)
  /** Do as the list that has its client says. */
  | (Listed & Covered)
  /** Ask the limiter. */
  | (RuledClient & Covered);

/** Routes a request; `connection` is the address of its connection, where it is the trusted one. */
export type RouteRequest = (request: Request, connection: string | undefined) => Promise<Routed>;

/** The settings of a gateway that change where requests go. */
export interface RouteSettings {
  readonly ambiguousPaths: "refuse" | "pass";
  /** Set if the gateway answers preflights. */
  readonly cors?: unknown;
}

export function compileRoute(
  ruleset: Ruleset,
  { ambiguousPaths, cors }: RouteSettings,
): RouteRequest {
  const selectRules = compileSelection(ruleset.rules, ambiguousPaths);

  return async function route(request, connection) {
    const { pathname, search } = new URL(request.url);
    const paths = readPath(pathname);
    if (paths === undefined) return { kind: "refused", response: badPath(HOSTILE) };
    const readings = [paths.plain, ...paths.others, ...paths.wider];
    if (readings.some(([first]) => first === OWN)) return { kind: "refused", response: notFound() };
    const listed = ruleset.lists?.(request, connection);
    if (listed && !listed.allowed) return { kind: "refused", response: listed.response() };
    const rules = selectRules(paths, { request, search });
    const preflight = cors !== undefined && isPreflight(request);
    const asked = preflight ? selectRules(paths, { request: askedRequest(request), search }) : [];
    if (rules === undefined || asked === undefined) {
      return { kind: "refused", response: badPath(AMBIGUOUS) };
    }
    // If a rule covers it, or the request that it asks for, it goes no further: no limit is evaded by looking like one.
    if (preflight && rules.length + asked.length > 0) return { kind: "preflight" };
    if (rules.length === 0) return { kind: "uncovered" };
    if (listed) return { kind: "listed", decision: listed, rules };
    const data = { request, connection, readings };
    return { ...(await readClient(ruleset, rules, request, data)), rules };
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
