import type { Listed, Unidentified } from "../../adapter/request-reader.ts";
import { problemResponse } from "../../decide/problem.ts";
import type { RequestData } from "../../partition/request-data.ts";
import { readPath } from "../rules/path.ts";
import type { Rule } from "../rules/rule.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import { compileSelection } from "../rules/select-rules.ts";
import { Steps } from "../rules/steps.ts";
import { askedRequest, isPreflight } from "./cors.ts";
import { isOwn, OWN, ownPath } from "./own-path.ts";
import { readClient, type RuledClient } from "./read-client.ts";

/** Why a path gets a 400. */
const REFUSALS = {
  hostile:
    "The path has escaped dot segments, backslashes, control characters, or slashes or dots escaped twice.",
  ambiguous:
    "The path can be read in several ways, under different limits. Send it without parameters and escapes that it does not need.",
  manifold:
    "The path can be read in too many ways for its length. Send it without parameters and escapes that it does not need.",
} as const;

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

/**
 * Routes a request; `connection` is the address of its connection, where it is the trusted one, and `known` what was read of it under
 * other rules.
 */
export type RouteRequest = (
  request: Request,
  connection: string | undefined,
  known?: RequestData["known"],
) => Promise<Routed>;

/** The settings of a gateway that change where requests go. */
export interface RouteSettings {
  readonly ambiguousPaths: "refuse" | "pass";
  /** Set if the gateway answers preflights. */
  readonly cors?: unknown;
}

const UNCOVERED = { kind: "uncovered" } as const;

export function compileRoute(
  ruleset: Ruleset,
  { ambiguousPaths, cors }: RouteSettings,
): RouteRequest {
  const selectRules = compileSelection(ruleset.rules, ambiguousPaths);

  return async function route(request, connection, known = new Map()) {
    const { url } = request;
    if (ownPath({ url }).startsWith(`/${OWN}/`)) return { kind: "refused", response: notFound() };
    // Before anything that a client may make long: one that is denied gets no more than this look.
    const listed = ruleset.lists?.(request, connection);
    if (listed && !listed.allowed) return { kind: "refused", response: listed.response() };
    const steps = new Steps();
    const paths = readPath(new URL(url).pathname, steps);
    if (typeof paths === "string") return { kind: "refused", response: badPath(paths) };
    if (isOwn(paths)) return { kind: "refused", response: notFound() };
    const rules = selectRules(paths, { request, steps });
    if (typeof rules === "string") return { kind: "refused", response: badPath(rules) };
    if (cors !== undefined && isPreflight(request)) {
      const asked = selectRules(paths, { request: askedRequest(request), steps });
      if (typeof asked === "string") return { kind: "refused", response: badPath(asked) };
      // If a rule covers it, or the request that it asks for, it goes no further: no limit is evaded by looking like one.
      if (rules.length + asked.length > 0) return { kind: "preflight" };
    }
    if (rules.length === 0) return UNCOVERED;
    if (listed) return { kind: "listed", decision: listed, rules };
    const readings = [paths.plain, ...paths.others, ...paths.wider];
    const data = { request, connection, readings, known };
    return { ...(await readClient(ruleset, rules, request, data)), rules };
  };
}

function badPath(why: keyof typeof REFUSALS): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: REFUSALS[why],
  });
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
