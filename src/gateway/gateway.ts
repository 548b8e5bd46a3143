/**
 * The gateway: a limiter in front of an origin, as a fetch handler for any runtime.
 *
 * @module
 */

import type { Hono } from "hono";
// Three routes need no more than the smallest of its routers.
import { Hono as TinyHono } from "hono/tiny";

import { appendFields } from "../adapter/append-fields.ts";
import { overLimits } from "../adapter/over-limits.ts";
import type { Decision } from "../decision/decision.ts";
import { problemResponse } from "../decision/problem.ts";
import { buildLimiter, type Limiter } from "../limiter/limiter.ts";
import type { Asked } from "../partition/asked.ts";
import { monotonicNow } from "../runtime/clock.ts";
import type { Environment } from "../runtime/environment.ts";
import { report } from "../runtime/log.ts";
import { type Platform, readConfig } from "./config.ts";
import { healthCheck } from "./health.ts";
import { readPath } from "./path.ts";
import { passOn } from "./proxy.ts";
import type { Rule } from "./rule.ts";
import { compileSelection } from "./select-rules.ts";

/** The first segment of the gateway's own paths; no spelling of it reaches the origin. */
const OWN = "_tidegate";

const HOSTILE =
  "The path has escaped dot segments, backslashes, control characters, or slashes or dots escaped twice.";
const AMBIGUOUS =
  "The path can be read in several ways, under different limits. Send it without parameters and escapes that it does not need.";

/**
 * Creates a gateway from a worker's variables. All rules that cover a request decide it together; requests that no rule
 * covers pass unchanged. A client on the list `deny` gets a 403 for all of them, and one on `allow` passes without a call
 * of Redis. Paths below `/_tidegate/` belong to the gateway.
 *
 * @param platform features that only some platforms have: `coloDenials` of `tidegate/cloudflare`
 * @throws ConfigurationError with every fault in the variables
 * @example
 * export default createGateway(process.env);
 */
export function createGateway(environment: Environment, platform: Platform = {}): Hono {
  const { origin, rules, settings, store, ambiguousPaths, lists } = readConfig(
    environment,
    platform,
  );
  const limiter = buildLimiter(store, settings);
  const selectRules = compileSelection(rules, ambiguousPaths);
  const gateway = new TinyHono();

  // Does not ask Redis: the gateway serves without it, too.
  gateway.get(`/${OWN}/live`, () =>
    Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } }),
  );
  gateway.get(`/${OWN}/health`, healthCheck(store, settings.prefix, monotonicNow));

  gateway.all("*", async ({ req: { raw: request }, env }) => {
    const { pathname, search } = new URL(request.url);
    const readings = readPath(pathname);
    if (readings === undefined) return badPath(HOSTILE);
    const { plain, others, wider } = readings;
    const all = [plain, ...others, ...wider];
    if (all.some(([first]) => first === OWN)) return notFound();
    const listed = lists?.(request, env);
    if (listed && !listed.allowed) return listed.response();
    const selected = selectRules(readings, { request, search });
    if (selected === undefined) return badPath(AMBIGUOUS);
    if (selected.length === 0) return passOn(request, origin);
    const asked = { request, bindings: env as unknown, readings: all };
    const decision = listed ?? (await decide(limiter, selected, request, asked));
    if (decision instanceof Response) return decision;
    if (!decision.allowed) return decision.response();
    return appendFields(await passOn(request, origin, overLimits(decision)), decision.headers());
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

/** Decides a request by all rules that cover it, together. */
async function decide(
  limiter: Limiter,
  rules: readonly Rule[],
  request: Request,
  asked: Asked,
): Promise<Decision | Response> {
  const identities: Record<string, string> = {};
  const cost: Record<string, number> = {};
  let plan: string | undefined;
  for (const { reader, settings } of rules) {
    const found = await reader.read(request, asked);
    if (!("identities" in found)) return found;
    Object.assign(identities, found.identities);
    for (const { name } of settings.policies) {
      const units = typeof found.cost === "object" ? found.cost[name] : found.cost;
      if (units !== undefined) cost[name] = units;
    }
    plan ??= found.plan;
  }
  return limiter.limit(identities, { cost, plan });
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
