/**
 * Next's Proxy and Vercel Routing Middleware: `import { rateLimit } from "tidegate/vercel"`.
 *
 * @module
 */

import { appendFields } from "./adapter/append-fields.ts";
import { overLimits } from "./adapter/over-limits.ts";
import { answerDenied, compileRequest, limitRequest } from "./adapter/request-limiter.ts";
import { REQUEST_OPTIONS, type RequestOptions } from "./adapter/request-options.ts";
import { tellRoute } from "./adapter/route-fields.ts";
import type { Decision } from "./decision/decision.ts";
import { openLimiter } from "./limiter/open-limiter.ts";
import { LIMITER_OPTIONS, type LimiterOptions } from "./limiter/options.ts";
import { Faults } from "./options/faults.ts";
import { checkedOptions } from "./options/unknown-options.ts";
import { readEnvironment } from "./runtime/environment.ts";

export interface RateLimitOptions<R extends Request = Request>
  extends LimiterOptions, RequestOptions<R> {
  /**
   * Your own middleware, called for allowed requests only. If it returns a response, the header fields of the decision are
   * added to it; otherwise the request goes on to its route. Default: every allowed request goes on.
   */
  readonly onAllowed?: (request: R, decision: Decision) => OwnAnswer | Promise<OwnAnswer>;
}

/** The response of a middleware; nothing if the request is to go on to its route. */
type OwnAnswer = Response | null | undefined | void;

/**
 * Limits the requests that `config.matcher` selects, as `proxy.ts` of Next 16, or as `middleware.ts` of earlier Next and
 * of Vercel Routing Middleware. A denied request is answered here. An allowed one goes on to its route with
 * `x-middleware-next` in the response, and the fields of the decision are added to the route's response.
 *
 * @throws ConfigurationError with every fault, when it is made
 * @example
 * // proxy.ts
 * export const config = { matcher: "/api/:path*" };
 * export default rateLimit({ policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })] });
 */
export function rateLimit<R extends Request = Request>(
  given: RateLimitOptions<R>,
): (request: R) => Promise<Response> {
  const faults = new Faults();
  const known = [...LIMITER_OPTIONS, ...REQUEST_OPTIONS, "onAllowed"];
  const options = checkedOptions(given, known, faults);
  // This runs on Vercel only, in any of its runtimes.
  const requestOptions = { ...options, clientIp: options.clientIp ?? "vercel" };
  if (requestOptions.clientIp === "socket") {
    faults.add(
      "clientIp",
      "socket",
      'Leave it out: Vercel provides the address. "socket" is for Node.',
    );
  }
  const reader = compileRequest<R>(requestOptions, options.policies, faults);
  const { onAllowed } = options;
  if (onAllowed !== undefined && typeof onAllowed !== "function") {
    faults.add("onAllowed", onAllowed, "Give a function that returns a Response, or nothing.");
  }
  const { policies, by } = reader;
  const limiter = openLimiter({ ...options, policies }, readEnvironment(), faults, by);

  return async function rateLimit(request) {
    const answer = await limitRequest(reader, limiter, request, { request });
    if (answer instanceof Response) return answer;
    if (!answer.allowed) return answerDenied(options, request, answer);
    const own = await onAllowed?.(request, answer);
    const response = own ? appendFields(own, answer.headers()) : goOn(answer);
    tellRoute(response.headers, request.headers, overLimits(answer));
    return response;
  };
}

function goOn(decision: Decision): Response {
  const headers = decision.headers();
  // How a Routing Middleware says "go on": the platform takes this field off and adds the others to the response.
  headers.set("x-middleware-next", "1");
  return new Response(null, { headers });
}
