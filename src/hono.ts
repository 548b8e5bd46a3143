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
import {
  checkSettings,
  givenOptions,
  LIMITER_OPTIONS,
  type LimiterOptions,
} from "./limiter/settings.ts";
import { reportUnnamedTwins } from "./limiter/unnamed-twins.ts";
import { Faults } from "./options/faults.ts";
import { readEnvironment } from "./runtime/environment.ts";
import { memoryStore } from "./store/memory-store.ts";
import { openStore } from "./store/open-store.ts";
import type { RedisClient, RedisEndpoint } from "./store/redis/client.ts";
import type { Store } from "./store/store.ts";

type Redis = RedisEndpoint | RedisClient;

export interface RateLimitOptions<E extends Env = Env>
  extends Omit<LimiterOptions, "redis">, RequestOptions<Context<E>> {
  /** As for `createLimiter`, or a function of the first request's context. Default: from `c.env`, then the process. */
  readonly redis?: Redis | ((c: Context<E>) => Redis);
}

/** What the middleware leaves on the context. */
export interface RateLimitVariables {
  rateLimit: Decision;
}

// Also for routes in statements of their own, whose types do not know which middleware ran before them.
declare module "hono" {
  interface ContextVariableMap extends RateLimitVariables {}
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
  given: RateLimitOptions<E>,
): MiddlewareHandler<E & { Variables: RateLimitVariables }> {
  const faults = new Faults();
  const options = givenOptions(given, [...LIMITER_OPTIONS, ...REQUEST_OPTIONS], faults);
  const { redis, ...rest } = options;
  const settings = checkSettings(rest, faults);
  const limitRequest = compileRequest<Context<E>>(options, options.policies, faults);
  // Bindings come with a request: without a client at hand, the store is opened with the first one. What else there
  // is to say about it is said now, as if there were one.
  const late = options.store === undefined && (redis === undefined || typeof redis === "function");
  const checked = late ? { ...rest, store: memoryStore() } : (options as LimiterOptions);
  const store = openStore(checked, {}, faults);
  faults.throwIfAny();
  let limiter = late ? undefined : open(checked, store!);

  function open(where: LimiterOptions, opened: Store): Limiter {
    reportUnnamedTwins(where, settings);
    return openLimiter(opened, settings);
  }

  function openLate(c: Context<E>): Limiter {
    const lateFaults = new Faults();
    const environment = { ...readEnvironment(), ...(c.env as object) };
    const found = typeof redis === "function" ? { ...rest, redis: redis(c) } : rest;
    const opened = openStore(found, environment, lateFaults);
    lateFaults.throwIfAny();
    return open(found, opened!);
  }

  return async function rateLimit(c: Context, next) {
    limiter ??= openLate(c);
    const answer = await limitRequest(limiter, c, c.req.raw.headers, c.env);
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
