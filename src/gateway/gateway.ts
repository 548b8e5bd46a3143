/**
 * The gateway: a limiter in front of an origin, as a fetch handler for any runtime.
 *
 * @module
 */

import { Hono } from "hono";

import { appendFields } from "../adapter/append-fields.ts";
import type { Decision } from "../decision/decision.ts";
import { problemResponse } from "../decision/problem.ts";
import { buildLimiter } from "../limiter/limiter.ts";
import { monotonicNow } from "../runtime/clock.ts";
import type { Environment } from "../runtime/environment.ts";
import { report } from "../runtime/log.ts";
import { type Platform, readConfig } from "./config.ts";
import { healthCheck } from "./health.ts";
import { readPath } from "./path.ts";
import { passOn } from "./proxy.ts";
import { compileSelection } from "./select-rules.ts";

/** The first segment of the gateway's own paths; no spelling of it reaches the origin. */
const OWN = "_tidegate";

const HOSTILE =
  "The path has escaped dot segments, backslashes, control characters, or slashes or dots escaped twice.";
const AMBIGUOUS =
  "The path can be read in several ways, under different limits. Send it without parameters and escapes that it does not need.";

/**
 * Creates a gateway from a worker's variables. Every rule that covers a request limits it, in the order of the list;
 * requests that no rule covers pass unchanged. A client on the list `deny` gets a 403 for all of them, and one on `allow`
 * passes without a call of Redis. Paths below `/_tidegate/` belong to the gateway.
 *
 * @param platform features that only some platforms have: `coloDenials` of `tidegate/cloudflare`
 * @throws ConfigurationError with every fault in the variables
 * @example
 * export default createGateway(process.env);
 */
export function createGateway(environment: Environment, platform: Platform = {}): Hono {
  const { origin, rules, store, prefix, ambiguousPaths, lists } = readConfig(environment, platform);
  const limited = rules.map(({ route, limitRequest, settings }) => ({
    route,
    limitRequest,
    limiter: buildLimiter(store, settings),
  }));
  const selectRules = compileSelection(limited, ambiguousPaths);
  const gateway = new Hono();

  // Does not ask Redis: the gateway serves without it, too.
  gateway.get(`/${OWN}/live`, () =>
    Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } }),
  );
  gateway.get(`/${OWN}/health`, healthCheck(store, prefix, monotonicNow));

  gateway.all("*", async ({ req: { raw: request }, env }) => {
    const { pathname, search } = new URL(request.url);
    const readings = readPath(pathname);
    if (readings === undefined) return badPath(HOSTILE);
    const { plain, others, wider } = readings;
    if ([plain, ...others, ...wider].some(([first]) => first === OWN)) return notFound();
    const listed = lists?.(request, env);
    if (listed && !listed.allowed) return listed.response();
    const selected = selectRules(readings, { request, search });
    if (selected === undefined) return badPath(AMBIGUOUS);
    if (listed) {
      // A response to a request that no rule covers stays as it is.
      const told = selected.length > 0 ? [listed] : [];
      return withDecisions(await passOn(request, origin), told);
    }

    const passed: Decision[] = [];
    for (const { limitRequest, limiter } of selected) {
      const answer = await limitRequest(limiter, request, request, env);
      if (answer instanceof Response) return withDecisions(answer, passed);
      if (!answer.allowed) return withDecisions(answer.response(), passed);
      passed.push(answer);
    }
    return withDecisions(await passOn(request, origin), passed);
  });

  gateway.onError((error) => {
    report(`a request failed: ${error.message}`);
    return problemResponse({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      detail: "The gateway failed to handle the request.",
    });
  });
  return gateway;
}

/** Adds the decisions' fields in order. `X-RateLimit-*` describes the first decision, unless the response has it. */
function withDecisions(response: Response, decisions: readonly Decision[]): Response {
  return appendFields(response, ...decisions.map((decision) => decision.headers()));
}

function badPath(detail: string): Response {
  return problemResponse({ type: "about:blank", title: "Bad Request", status: 400, detail });
}

function notFound(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail: "The gateway has nothing at this path.",
  });
}
