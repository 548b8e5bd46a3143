import type { WithoutBy } from "../algorithms/common-options.ts";
import type { Decision } from "../decide/decision.ts";
import type { Hold } from "../decide/hold.ts";
import { dimensionsOfRequests } from "../features/dimensions-feature.ts";
import { checkLimiter } from "../limiter/check-limiter.ts";
import {
  type CreateLimiterOptions,
  LIMITER_OPTIONS,
  type LimiterOptions,
} from "../limiter/options.ts";
import type { Faults } from "../options/faults.ts";
import type { MadeBy } from "../options/option-value.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { connectionAddress, GONE } from "../partition/client-ip.ts";
import type { Policy } from "../policy/policy.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { answerDenied, goneResponse } from "./answer-denied.ts";
import { endOf, type NodeRequest, type NodeResponse, requestDataOf } from "./node-server.ts";
import { compileRefuseImitations } from "./refuse-imitations.ts";
import {
  type PlainRequestOptions,
  REQUEST_OPTIONS,
  type RequestOptions,
} from "./request-options.ts";
import { compileRequest, decideRequest } from "./request-reader.ts";
import { takeRequestApart } from "./take-request-apart.ts";

export interface NodeLimiterOptions<Context, P extends MadeBy<"plans()"> = MadeBy<"plans()">>
  extends Omit<CreateLimiterOptions<Policy & WithoutBy, P>, "lists">, RequestOptions<Context, P> {}

/** The value that a middleware leaves for the handlers of a request. */
export interface RateLimited {
  /** A `Hold` where a policy is `refundable`, counts failures, or is a `concurrency()`. */
  rateLimit: Decision | Hold;
}

/** The outcome for a request. */
export interface Limited extends Partial<RateLimited> {
  /** Set if the request goes no further. */
  readonly response?: Response;
}

/** Decides a request of a framework, and settles it when its response has ended. */
export type NodeLimiter<Context> = (
  context: Context,
  incoming: NodeRequest,
  outgoing: NodeResponse,
) => Promise<Limited>;

/**
 * Compiles the limiter of a middleware for Node.
 *
 * @param more names of options that the framework has besides
 * @throws ConfigurationError with every fault
 */
export function createNodeLimiter<Context>(
  given: NodeLimiterOptions<Context>,
  more: readonly string[],
  faults: Faults,
): NodeLimiter<Context> {
  const taken = takeRequestApart<Omit<LimiterOptions, "lists"> & PlainRequestOptions<Context>>(
    given,
    faults,
  );
  const known = [...LIMITER_OPTIONS, ...REQUEST_OPTIONS, ...more];
  const options = checkedOptions(taken.options, known, faults);
  const features = { ...taken.features, dimensions: dimensionsOfRequests };
  const reader = compileRequest<Context>(options, options.policies, features, faults);
  const { policies, by, operation, failures } = reader;
  const open = checkLimiter({ ...options, policies }, features, faults, by);
  const limiter = open(options.redis, readEnvironment(), faults);

  const refuseImitations = compileRefuseImitations(reader.fields);

  return async function limit(context, incoming, outgoing) {
    const connection = connectionAddress(options.clientIp, { incoming });
    if (connection === GONE) return { response: goneResponse() };
    const refused = refuseImitations?.(Object.keys(incoming.headers));
    if (refused) return { response: refused };
    // From before the decision: a client may hang up meanwhile.
    const end = operation === "reserve" ? endOf(outgoing) : undefined;
    const read = await reader.read(context, requestDataOf(incoming, connection));
    if (read.kind === "unidentified") return { response: read.response };
    const answer = await decideRequest(read, limiter, reader);
    if (!answer.allowed) {
      return { rateLimit: answer, response: await answerDenied(options, context, answer) };
    }
    const settlement = features.holds?.settlementOf(answer, failures, ignore);
    void end?.then(({ status, aborted }) => settlement?.now(status, { signal: { aborted } }));
    return { rateLimit: answer };
  };
}

/** A server goes on after its response, so the promise needs no keeper. */
function ignore(): void {}
