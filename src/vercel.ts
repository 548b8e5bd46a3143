/**
 * Vercel Routing Middleware: `import { rateLimit } from "tidegate/vercel"`.
 *
 * @module
 */

import { compileRequest, type RequestOptions } from "./adapter/request-limiter.ts";
import { Faults } from "./errors.ts";
import { openLimiter } from "./limiter/open-limiter.ts";
import { checkSettings, givenOptions, type LimiterOptions } from "./limiter/settings.ts";
import { readEnvironment } from "./runtime.ts";
import { openStore } from "./store/open-store.ts";

export interface RateLimitOptions extends LimiterOptions, RequestOptions<Request> {}

/**
 * A Routing Middleware that limits the requests that its `config.matcher` selects. An allowed request goes on to its
 * route, and the fields of the decision are added to the route's response.
 *
 * @throws ConfigurationError with every fault, when it is made
 * @example
 * // middleware.ts
 * export const config = { runtime: "edge", matcher: "/api/:path*" };
 * export default rateLimit({ policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })] });
 */
export function rateLimit(given: RateLimitOptions): (request: Request) => Promise<Response> {
  const faults = new Faults();
  const options = givenOptions(given, faults);
  const settings = checkSettings(options, faults);
  // Whoever runs this runs it on Vercel, whichever of its runtimes that is.
  const requestOptions = { ...options, clientIp: options.clientIp ?? "vercel" };
  const limitRequest = compileRequest<Request>(requestOptions, options.policies, faults);
  const store = openStore(options, readEnvironment(), faults);
  faults.throwIfAny();
  const limiter = openLimiter(store!, settings);

  return async function rateLimit(request) {
    const answer = await limitRequest(limiter, request, request.headers);
    if (answer instanceof Response) return answer;
    if (!answer.allowed) return options.onDenied?.(request, answer) ?? answer.response();
    const headers = answer.headers();
    // How a Routing Middleware says "go on": the platform takes this field off and adds the others to the response.
    headers.set("x-middleware-next", "1");
    return new Response(null, { headers });
  };
}
