/**
 * Hono middleware: `import { rateLimit } from "tidegate/hono"`.
 *
 * @module
 */

import type { Context, Env, MiddlewareHandler } from "hono";

import { answerDenied, goneResponse } from "./adapter/answer-denied.ts";
import { compileRefuseImitations } from "./adapter/refuse-imitations.ts";
import {
  type PlainRequestOptions,
  REQUEST_OPTIONS,
  type RequestOptions,
} from "./adapter/request-options.ts";
import { compileRequest, decideRequest } from "./adapter/request-reader.ts";
import { takeRequestApart } from "./adapter/take-request-apart.ts";
import type { WithoutBy } from "./algorithms/common-options.ts";
import type { Decision } from "./decide/decision.ts";
import type { Hold, ReservingLimiter } from "./decide/hold.ts";
import { appendFields } from "./decide/present.ts";
import { dimensionsOfRequests } from "./features/dimensions-feature.ts";
import type { Features } from "./features/features.ts";
import { checkLimiter } from "./limiter/check-limiter.ts";
import {
  type CreateLimiterOptions,
  LIMITER_OPTIONS,
  type LimiterOptions,
} from "./limiter/options.ts";
import type { TakenApart } from "./limiter/take-apart.ts";
import { Faults } from "./options/faults.ts";
import type { MadeBy, RedisMakers } from "./options/option-value.ts";
import { checkedOptions } from "./options/unknown-options.ts";
import { connectionAddress, GONE } from "./partition/client-ip.ts";
import type { Policy } from "./policy/policy.ts";
import { readEnvironment } from "./runtime/environment.ts";
import { waitUntilOf } from "./runtime/wait-until.ts";
import type { RedisEndpoint } from "./store/redis/client.ts";

type Redis = RedisEndpoint | MadeBy<RedisMakers>;

/** The options of `rateLimit()`; its functions get Hono's context. */
export interface RateLimitOptions<
  E extends Env = Env,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
>
  extends
    Omit<CreateLimiterOptions<Policy & WithoutBy, P>, "redis" | "lists">,
    RequestOptions<Context<E>, P> {
  /**
   * Redis as for `createLimiter()`, or a function that returns it from the context of the first request. Default: the
   * variables that `createLimiter()` reads, from `c.env` or else from the environment.
   */
  readonly redis?: Redis | ((c: Context<E>) => Redis);
}

/** The variables that the middleware sets on the context. */
export interface RateLimitVariables {
  /** A `Hold` where a policy is `refundable`, counts failures, or is a `concurrency()`. */
  rateLimit: Decision | Hold;
}

// For routes registered in separate statements: their types do not include earlier middleware.
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
 *   partition: [header("x-api-key"), "ip"],
 * }));
 */
export function rateLimit<E extends Env = any, P extends MadeBy<"plans()"> = MadeBy<"plans()">>(
  options: RateLimitOptions<E, P>,
): RateLimit<E> {
  const faults = new Faults();
  const taken = takeRequestApart<Taken<E>>(options, faults);
  return makeRateLimit(taken, faults);
}

/** The options as data. */
type Taken<E extends Env> = Omit<LimiterOptions, "redis" | "lists"> &
  PlainRequestOptions<Context<E>> &
  Pick<RateLimitOptions<E>, "redis">;

/** An environment that is not given is `any`, of which only the variables of the middleware remain. */
type RateLimit<E extends Env> = MiddlewareHandler<
  (0 extends 1 & E ? Env : E) & { Variables: RateLimitVariables }
>;

function makeRateLimit<E extends Env>(
  { options: given, features: taken }: TakenApart<Taken<E>>,
  faults: Faults,
): RateLimit<E> {
  const features = { ...taken, dimensions: dimensionsOfRequests };
  const options = checkedOptions(given, [...LIMITER_OPTIONS, ...REQUEST_OPTIONS], faults);
  const reader = compileRequest<Context<E>>(options, options.policies, features, faults);
  const opened = { ...options, policies: reader.policies };
  const refuseImitations = compileRefuseImitations(reader.fields);
  const limiterFor = openForRequests(opened, reader.by, features, faults);

  return async function rateLimit(c: Context, next) {
    const connection = connectionAddress(options.clientIp, c.env);
    if (connection === GONE) return goneResponse();
    const refused = refuseImitations?.(c.req.raw.headers.keys());
    if (refused) return refused;
    const reading = reader.read(c, { request: c.req.raw, connection });
    const read = reading instanceof Promise ? await reading : reading;
    if (read.kind === "unidentified") return read.response;
    const answer = await decideRequest(read, limiterFor(c), reader);
    c.set("rateLimit", answer);
    if (!answer.allowed) return answerDenied(options, c, answer);
    const settlement = features.holds?.settlementOf(answer, reader.failures, waitUntilOf(c));
    try {
      await next();
    } catch (error) {
      // A caller that catches the error answers with the status it may carry, as with an HTTPException.
      settlement?.now(Number(Object(error).status) || 500, c.req.raw);
      throw error;
    }
    const sent = settlement?.after(c.res, c.req.raw) ?? c.res;
    const response = appendFields(sent, answer);
    // Assigning to `c.res` would merge the old response's fields into the new one.
    c.res = undefined;
    c.res = response;
    return undefined;
  };
}

/** Opens the limiter, or checks its options and opens it with the first request, whose bindings say where Redis is. */
function openForRequests<E extends Env>(
  options: Taken<E>,
  by: readonly string[],
  features: Features,
  faults: Faults,
): (c: Context<E>) => ReservingLimiter {
  const { redis } = options;
  const open = checkLimiter(options as LimiterOptions, features, faults, by);
  if (options.store !== undefined || (redis !== undefined && typeof redis !== "function")) {
    const limiter = open(redis as RedisEndpoint, {}, faults);
    return () => limiter;
  }
  faults.throwIfAny();
  let limiter: ReservingLimiter | undefined;
  return function limiterFor(c) {
    limiter ??= open(redis?.(c), { ...readEnvironment(), ...(c.env as object) }, new Faults());
    return limiter;
  };
}
