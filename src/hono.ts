/**
 * Hono middleware: `import { rateLimit } from "tidegate/hono"`.
 *
 * @module
 */

import type { Context, Env, MiddlewareHandler } from "hono";

import { carryOut } from "./adapter/middleware.ts";
import { compileRequest, type RequestOptions } from "./adapter/request-limiter.ts";
import { Faults } from "./errors.ts";
import type { Decision } from "./limiter/decision.ts";
import { buildLimiter, type Limiter } from "./limiter/limiter.ts";
import { checkSettings, type LimiterOptions } from "./limiter/settings.ts";
import { openStore } from "./store/open-store.ts";
import { processEnvironment, type RedisClient, type RedisEndpoint } from "./store/redis-client.ts";

type Redis = RedisEndpoint | RedisClient;

export interface RateLimitOptions<E extends Env = Env>
  extends Omit<LimiterOptions, "redis">, RequestOptions<Context<E>> {
  /** As for `createLimiter`, or a function of the first request's context. Default: from `c.env`, then the process. */
  readonly redis?: Redis | ((c: Context<E>) => Redis);
  /** Answers a denied request. Default: `decision.response()`. */
  readonly onDenied?: (c: Context<E>, decision: Decision) => Response | Promise<Response>;
}

/** What the middleware leaves on the context. */
export interface RateLimitVariables {
  rateLimit: Decision;
}

/**
 * Middleware that limits the requests that reach it. It returns its 429 (a throw would be taken for a failed branch by
 * `some()`), and leaves the decision on `c.var.rateLimit`.
 *
 * @throws ConfigurationError with every fault, when it is made; what `c.env` lacks is said with the first request
 * @example
 * app.use("/api/*", rateLimit({
 *   policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
 *   partition: ["header:x-api-key", "ip"],
 * }));
 */
export function rateLimit<E extends Env = Env>(
  options: RateLimitOptions<E>,
): MiddlewareHandler<E & { Variables: RateLimitVariables }> {
  const { redis, ...rest } = options;
  const faults = new Faults();
  const settings = checkSettings(rest, faults);
  const limitRequest = compileRequest<Context<E>>(options, options.policies, faults);
  // Bindings come with a request: without a client at hand, the store is opened with the first one.
  const late = options.store === undefined && (redis === undefined || typeof redis === "function");
  const store = late ? undefined : openStore(options as LimiterOptions, {}, faults);
  faults.throwIfAny();
  let limiter: Limiter | undefined = store && buildLimiter(store, settings);

  function openLimiter(c: Context<E>): Limiter {
    const lateFaults = new Faults();
    const environment = { ...processEnvironment(), ...(c.env as object) };
    const found = typeof redis === "function" ? { ...rest, redis: redis(c) } : rest;
    const opened = openStore(found, environment, lateFaults);
    lateFaults.throwIfAny();
    return buildLimiter(opened!, settings);
  }

  return async function rateLimit(c, next) {
    limiter ??= openLimiter(c as Context<E>);
    const answer = await limitRequest(limiter, c as Context<E>, c.req.raw.headers);
    if (!(answer instanceof Response)) c.set("rateLimit", answer as never);
    return carryOut(c, next, answer, (decision) =>
      options.onDenied ? options.onDenied(c as Context<E>, decision) : decision.response(),
    );
  };
}
