/**
 * Next's Proxy and Vercel Routing Middleware: `import { rateLimit } from "tidegate/vercel"`.
 *
 * @module
 */

import { answerDenied } from "./adapter/answer-denied.ts";
import { overLimits } from "./adapter/over-limits.ts";
import { compileRefuseImitations } from "./adapter/refuse-imitations.ts";
import {
  type PlainRequestOptions,
  REQUEST_OPTIONS,
  type RequestOptions,
} from "./adapter/request-options.ts";
import { decideRequest, compileRequest } from "./adapter/request-reader.ts";
import { goesOn, tellRoute } from "./adapter/route-fields.ts";
import { takeRequestApart } from "./adapter/take-request-apart.ts";
import type { WithoutBy } from "./algorithms/common-options.ts";
import type { Decision } from "./decide/decision.ts";
import type { Hold } from "./decide/hold.ts";
import { appendFields } from "./decide/present.ts";
import { dimensionsOfRequests } from "./features/dimensions-feature.ts";
import { checkLimiter } from "./limiter/check-limiter.ts";
import {
  type CreateLimiterOptions,
  LIMITER_OPTIONS,
  type LimiterOptions,
} from "./limiter/options.ts";
import type { TakenApart } from "./limiter/take-apart.ts";
import { Faults } from "./options/faults.ts";
import {
  FAILURES_OF_ROUTES,
  FUNCTION,
  HOLDS_OF_ROUTES,
  SOCKET_ON_VERCEL,
} from "./options/messages.ts";
import type { MadeBy } from "./options/option-value.ts";
import { checkedOptions } from "./options/unknown-options.ts";
import type { Policy } from "./policy/policy.ts";
import { readEnvironment } from "./runtime/environment.ts";
import type { WaitUntil } from "./runtime/wait-until.ts";

/** The options of `rateLimit()`; its functions get the request. */
export interface RateLimitOptions<
  R extends Request = Request,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
>
  extends Omit<CreateLimiterOptions<Policy & WithoutBy, P>, "lists">, RequestOptions<R, P> {
  /**
   * Your own middleware, called for allowed requests only. If it returns a response, the header fields of the decision
   * are added to it; otherwise the request goes on to its route. A policy that counts failures needs it, because it
   * sees the status only of this middleware's responses: a request that goes on to a route counts as a failure. A
   * `concurrency()` needs it, too: it frees the slot at once if the request goes on to a route. Default: every allowed
   * request goes on.
   */
  readonly onAllowed?: (request: R, decision: Decision | Hold) => OwnAnswer | Promise<OwnAnswer>;
}

/** The platform's second argument, beside the request. */
export interface RequestEvent {
  waitUntil?(promise: Promise<unknown>): void;
}

/** The response of a middleware; empty if the request goes on to its route. */
export type OwnAnswer = Response | null | undefined | void;

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
export function rateLimit<
  R extends Request = Request,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
>(options: RateLimitOptions<R, P>): RateLimit<R> {
  const faults = new Faults();
  return makeRateLimit(takeRequestApart<Taken<R>>(options, faults), faults);
}

/** The options as data. */
type Taken<R extends Request> = Omit<LimiterOptions, "lists"> &
  PlainRequestOptions<R> &
  Pick<RateLimitOptions<R>, "onAllowed">;

/** Answers a request, or lets it go on to its route. */
type RateLimit<R extends Request> = (request: R, event?: RequestEvent) => Promise<Response>;

function makeRateLimit<R extends Request>(
  taken: TakenApart<Taken<R>>,
  faults: Faults,
): RateLimit<R> {
  const features = { ...taken.features, dimensions: dimensionsOfRequests };
  const known = [...LIMITER_OPTIONS, ...REQUEST_OPTIONS, "onAllowed"];
  const options = checkedOptions(taken.options, known, faults);
  // This runs on Vercel only, in any of its runtimes.
  const requestOptions = { ...options, clientIp: options.clientIp ?? "vercel" };
  if (requestOptions.clientIp === "socket") {
    faults.add("clientIp", "socket", SOCKET_ON_VERCEL);
  }
  const reader = compileRequest<R>(requestOptions, options.policies, features, faults);
  const { onAllowed } = options;
  if (onAllowed !== undefined && typeof onAllowed !== "function") {
    faults.add("onAllowed", onAllowed, FUNCTION, "returns a Response, or nothing");
  }
  if (onAllowed === undefined) checkEnds(options.policies, faults);
  const { policies, by } = reader;
  const open = checkLimiter({ ...options, policies }, features, faults, by);
  const limiter = open(options.redis, readEnvironment(), faults);

  const refuseImitations = compileRefuseImitations(reader.fields);

  return async function rateLimit(request, event) {
    const refused = refuseImitations?.(request.headers.keys());
    if (refused) return refused;
    const read = await reader.read(request, { request });
    if (read.kind === "unidentified") return read.response;
    const answer = await decideRequest(read, limiter, reader);
    if (!answer.allowed) return answerDenied(options, request, answer);
    const waitUntil: WaitUntil = (promise) => event?.waitUntil?.(promise);
    const settlement = features.holds?.settlementOf(answer, reader.failures, waitUntil);
    let own: OwnAnswer;
    try {
      own = await onAllowed?.(request, answer);
    } catch (error) {
      settlement?.now(500, request);
      throw error;
    }
    if (!own || goesOn(own.headers)) settlement?.now(undefined, request);
    else own = settlement?.after(own, request) ?? own;
    const response = own ? appendFields(own, answer) : goOn(answer);
    tellRoute(response.headers, request.headers, overLimits(answer));
    return response;
  };
}

/** Rejects policies that need the end of the response when routes make all responses: middleware does not see those. */
function checkEnds(policies: readonly Policy[], faults: Faults): void {
  if (!Array.isArray(policies)) return;
  policies.forEach((policy: Policy, i) => {
    const { counts, algorithm } = Object(policy) as Policy;
    if (counts === "failures") {
      faults.add(`policies[${i}].counts`, counts, FAILURES_OF_ROUTES);
    }
    if (algorithm === "concurrency") {
      faults.add(`policies[${i}].algorithm`, algorithm, HOLDS_OF_ROUTES);
    }
  });
}

function goOn(decision: Decision): Response {
  const headers = decision.headers();
  // Tells the platform to continue: it removes this field and adds the others to the response.
  headers.set("x-middleware-next", "1");
  return new Response(null, { headers });
}
