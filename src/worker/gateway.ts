/**
 * The gateway: a limiter in front of an origin, as a fetch handler for any runtime.
 *
 * @module
 */

import { Hono } from "hono";

import { carryOut } from "../adapter/middleware.ts";
import { problemResponse } from "../http/problem.ts";
import { monotonicNow } from "../limiter/clock.ts";
import { buildLimiter } from "../limiter/limiter.ts";
import { report } from "../report.ts";
import type { Environment } from "../store/redis-client.ts";
import { readConfig, type Rule } from "./config.ts";
import { healthCheck } from "./health.ts";
import { matchablePath } from "./path.ts";
import { passOn } from "./proxy.ts";

/**
 * A gateway from a worker's variables: requests that match a rule are limited, all others pass untouched.
 * `/_tidegate/` is the gateway's own.
 *
 * @throws ConfigurationError with every fault in the variables
 * @example
 * export default createGateway(process.env);
 */
export function createGateway(environment: Environment): Hono {
  const { origin, rules, store } = readConfig(environment);
  const gateway = new Hono({ getPath: (request) => matchablePath(new URL(request.url).pathname) });

  gateway.get("/_tidegate/health", healthCheck(store, monotonicNow));
  gateway.all("/_tidegate/*", () => notFound());
  gateway.all("/_tidegate", () => notFound());

  for (const rule of rules) {
    const limiter = buildLimiter(store, rule.settings);
    gateway.on(methodsOf(rule), [matchablePath(rule.path)], async (c, next) => {
      const answer = await rule.limitRequest(limiter, c.req.raw, c.req.raw.headers);
      return carryOut(c, next, answer, (decision) => decision.response());
    });
  }
  gateway.all("*", (c) => passOn(c.req.raw, origin));

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

/** Hono's name for "every method" is ALL. */
function methodsOf({ methods }: Rule): string[] {
  return methods.map((method) => (method === "*" ? "ALL" : method));
}

function notFound(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail: "The gateway has nothing at this path.",
  });
}
