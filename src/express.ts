/**
 * Middleware for Express 4 and 5: `import { rateLimit } from "tidegate/express"`.
 *
 * @module
 */

import { createNodeLimiter, type NodeLimiterOptions } from "./adapter/node-limiter.ts";
import { type NodeRequest, type NodeResponse, setFields } from "./adapter/node-server.ts";
import { Faults } from "./options/faults.ts";
import type { MadeBy } from "./options/option-value.ts";

export type { RateLimited } from "./adapter/node-limiter.ts";
export { TidegateStore, type TidegateStoreOptions } from "./express-rate-limit.ts";

/** The parts of Express's request that the middleware uses. */
export interface ExpressRequest extends NodeRequest {}

/** The parts of Express's response that the middleware uses. */
export interface ExpressResponse extends NodeResponse {
  statusCode: number;
  locals: object;
  getHeader(name: string): unknown;
  setHeader(name: string, value: string | readonly string[]): unknown;
}

/** The options of `rateLimit()`; its functions get Express's request. */
export interface RateLimitOptions<
  R extends ExpressRequest = ExpressRequest,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
> extends NodeLimiterOptions<R, P> {}

/** A middleware of Express. */
export type RateLimit<R extends ExpressRequest> = (
  request: R,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * Middleware that limits the requests that reach it, and leaves the decision as `response.locals.rateLimit`. A denied
 * request is answered here. Errors that the functions in its options throw go to Express's error handler.
 *
 * @throws ConfigurationError with every fault, when it is made
 * @example
 * app.use("/api", rateLimit({
 *   redis: fromIoredis(redis),
 *   policies: [tokenBucket({ name: "api", limit: 20, refill: 10, per: "1s" })],
 *   partition: [header("x-api-key"), "ip"],
 *   clientIp: "socket",
 * }));
 */
export function rateLimit<
  R extends ExpressRequest = ExpressRequest,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
>(options: RateLimitOptions<R, P>): RateLimit<R> {
  const limit = createNodeLimiter(options, [], new Faults());

  return async function rateLimit(request, response, next) {
    try {
      const { response: answer, ...limited } = await limit(request, request, response);
      Object.assign(response.locals, limited);
      if (response.headersSent) {
        // Earlier middleware may have answered meanwhile, as one with a time limit does.
        if (answer) return;
      } else if (answer) {
        await send(response, answer);
        return;
      } else {
        setFields(sinkOf(response), limited.rateLimit!.headers());
      }
    } catch (error) {
      // Express 4 does not see a rejection.
      next(error);
      return;
    }
    next();
  };
}

async function send(response: ExpressResponse, answer: Response): Promise<void> {
  const body = new Uint8Array(await answer.arrayBuffer());
  response.statusCode = answer.status;
  setFields(sinkOf(response), answer.headers);
  response.end(body as never);
}

const sinkOf = (response: ExpressResponse) => ({
  get: (name: string) => response.getHeader(name),
  set: (name: string, value: string | readonly string[]) => response.setHeader(name, value),
});
