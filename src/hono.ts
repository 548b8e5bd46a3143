/**
 * Hono middleware: `import { rateLimit } from "tidegate/hono"`.
 *
 * @module
 */

import type { Context, Env, MiddlewareHandler } from "hono";

import { appendFields } from "./adapter/append-fields.ts";
import {
  answerDenied,
  compileRequest,
  REQUEST_OPTIONS,
  type RequestOptions,
} from "./adapter/request-limiter.ts";
import type { Decision } from "./decision/decision.ts";
import type { Limiter } from "./limiter/limiter.ts";
import { openLimiter } from "./limiter/open-limiter.ts";
import { LIMITER_OPTIONS, type LimiterOptions } from "./limiter/options.ts";
import { Faults } from "./options/faults.ts";
import { checkedOptions } from "./options/unknown-options.ts";
import { readEnvironment } from "./runtime/environment.ts";
import { memoryStore } from "./store/memory-store.ts";
import type { RedisClient, RedisEndpoint } from "./store/redis/client.ts";

type Redis = RedisEndpoint | RedisClient;

export interface RateLimitOptions<E extends Env = Env>
  extends Omit<LimiterOptions, "redis">, RequestOptions<Context<E>> {
  /**
   * Redis as for `createLimiter()`, or a function that returns it from the context of the first request. Default: the
   * variables that `createLimiter()` reads, from `c.env` or else from the environment.
   */
  readonly redis?: Redis | ((c: Context<E>) => Redis);
}

/** What the middleware sets on the context. */
export interface RateLimitVariables {
  rateLimit: Decision;
}

// For routes registered in their own statements, whose types do not include the middleware before them.
declare module "hono" {
  interface ContextVariableMap extends RateLimitVariables {}
}

/**
 * Middleware that limits the requests that reach it and sets the decision as `c.var.rateLimit`. It returns its 429 and
 * never throws it, because Hono's `some()` takes a throw for a failed branch and lets the request through.
 *
 * @throws ConfigurationError with every fault when it is made; missing bindings throw on the first request
 * @example
 * app.use("/api/*", rateLimit({
 *   policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
 *   partition: ["header:x-api-key", "ip"],
 * }));
 */
export function rateLimit<E extends Env = Env>(
  given: RateLimitOptions<E>,
): MiddlewareHandler<E & { Variables: RateLimitVariables }> {
  const faults = new Faults();
  const options = checkedOptions(given, [...LIMITER_OPTIONS, ...REQUEST_OPTIONS], faults);
  const limitRequest = compileRequest<Context<E>>(options, options.policies, faults);
  const { redis, ...rest } = options;
  const needsContext =
    options.store === undefined && (redis === undefined || typeof redis === "function");
  // A store that needs the bindings of a request is opened with the first one. Everything else is checked now, with a
  // store that needs nothing.
  const now = needsContext ? { ...rest, store: memoryStore() } : (options as LimiterOptions);
  const opened = openLimiter(now, {}, faults);
  let limiter = needsContext ? undefined : opened;

  function openWith(c: Context<E>): Limiter {
    const environment = { ...readEnvironment(), ...(c.env as object) };
    const found = typeof redis === "function" ? { ...rest, redis: redis(c) } : rest;
    return openLimiter(found, environment, new Faults());
  }

  return async function rateLimit(c: Context, next) {
    limiter ??= openWith(c);
    const answer = await limitRequest(limiter, c, c.req.raw, c.env);
    if (answer instanceof Response) return answer;
    c.set("rateLimit", answer);
    if (!answer.allowed) return answerDenied(options, c, answer);
    await next();
    const response = appendFields(c.res, answer.headers());
    // Assigning over a response would merge the old one's fields into it.
    c.res = undefined;
    c.res = response;
    return undefined;
  };
}
