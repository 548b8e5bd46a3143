import type { Decision } from "../decision/decision.ts";
import { problemResponse } from "../decision/problem.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Faults } from "../options/faults.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { compileSources, type Identify, type Source } from "../partition/source.ts";
import type { Policy } from "../policy/policy.ts";
import { reportOnce } from "../runtime/log.ts";
import { addMissingFields } from "./append-fields.ts";

/**
 * How a request becomes an identity and a cost, and a denial an answer. `Context` is what the framework hands to its
 * handlers.
 */
export interface RequestOptions<Context> {
  /**
   * Who is counted: sources in order, the first that a request carries is taken, or a function, which says
   * `undefined` for nobody. Default `["ip"]`.
   *
   * A header that nothing in front has checked is the client's word: a client that sends a new value each time has a
   * new quota each time, whatever stands behind it. Bound it by a second limiter for `"ip"`. Of a credential (a header
   * whose name ends in `authorization`, `key` or `token`) all spellings count together, and several of them in one
   * header count as none.
   */
  readonly partition?:
    | readonly Source[]
    | ((context: Context) => string | undefined | Promise<string | undefined>);
  /**
   * Whose word on the client's address is taken. Default: the platform's own, on Cloudflare and Vercel. Elsewhere it must
   * be said: `{ trustedHops: 1 }` behind a proxy of your own, `"socket"` for Hono on Node without one.
   */
  readonly clientIp?: ClientIp;
  /**
   * What a request without identity gets: `"share"`, one count with all others like it, or `"reject"`, a 400. Without a
   * word on it, they share one, and the first is reported in the log: where all requests lack an identity, one client
   * uses up the quota of all.
   */
  readonly onMissing?: "share" | "reject";
  /** Quota units of a request, a whole number from 0. Default 1. */
  readonly cost?: number | ((context: Context) => number | Promise<number>);
  /**
   * Answers a denied request. The decision's fields (`Retry-After`, `RateLimit`) are added to the response where it does
   * not set them itself. Default: `decision.response()`.
   *
   * @example
   * onDenied: (c, decision) => c.json({ error: "slow down" }, 429)
   */
  readonly onDenied?: (context: Context, decision: Decision) => Response | Promise<Response>;
}

/** What to do about a cost that is none. */
export const COST_REMEDY = "Give a whole number of units from 0, or a function that returns one.";

/** Every option of how requests are limited. */
export const REQUEST_OPTIONS = [
  "partition",
  "clientIp",
  "onMissing",
  "cost",
  "onDenied",
] as const satisfies (keyof RequestOptions<unknown>)[];

/** The answer to a denied request: what `onDenied` says, with the decision's fields. */
export async function answerDenied<Context>(
  { onDenied }: Pick<RequestOptions<Context>, "onDenied">,
  context: Context,
  decision: Decision,
): Promise<Response> {
  const answer = await onDenied?.(context, decision);
  // Whatever its type says, it may have returned nothing.
  return answer ? addMissingFields(answer, decision.headers()) : decision.response();
}

/** Decides a request; a Response where there is nothing to decide. */
export type RequestLimiter<Context> = (
  limiter: Limiter,
  context: Context,
  headers: Headers,
  bindings?: unknown,
) => Promise<Decision | Response>;

/**
 * Where all requests without identity are counted. No source yields it; a user whom a function calls that gains
 * nothing, since leaving the identity out leads here, too.
 */
const SHARED_IDENTITY = "no-identity";

/** Checks the options and compiles them into one function. */
export function compileRequest<Context>(
  options: RequestOptions<Context>,
  policies: readonly Policy[],
  faults: Faults,
): RequestLimiter<Context> {
  const { partition = ["ip"], clientIp, onMissing, cost = 1, onDenied } = options;
  const identify =
    typeof partition === "function"
      ? (context: Context) => partition(context)
      : fromHeaders(compileSources(partition, clientIp, "partition", faults));
  if (onMissing !== undefined && onMissing !== "share" && onMissing !== "reject") {
    faults.add("onMissing", onMissing, 'Use "share" or "reject".');
  }
  if (onDenied !== undefined && typeof onDenied !== "function") {
    faults.add("onDenied", onDenied, "Give a function that returns a Response.");
  }
  if (typeof cost !== "function") {
    if (!Number.isSafeInteger(cost) || cost < 0) {
      faults.add("cost", cost, COST_REMEDY);
    } else if (
      Array.isArray(policies) &&
      // A limit below 1 is a fault of its own.
      policies.some(
        (policy) => Number.isInteger(policy?.limit) && policy.limit >= 1 && cost > policy.limit,
      )
    ) {
      faults.add(
        "cost",
        cost,
        "It is above a policy's limit, so no request could pass: lower it, or raise the limit.",
      );
    }
  }

  return async function limitRequest(limiter, context, headers, bindings) {
    const identity = await identify(context, headers, bindings);
    // What a look-up yields that found nobody, whatever its type says.
    const missing = identity === undefined || identity === null || identity === "";
    if (missing && onMissing === "reject") return missingIdentity();
    if (missing && onMissing === undefined) reportMissing(options);
    const units = typeof cost === "function" ? await cost(context) : cost;
    return limiter.limit(missing ? SHARED_IDENTITY : identity, { cost: units });
  };
}

function fromHeaders(identify: Identify) {
  return (_context: unknown, headers: Headers, bindings: unknown) => identify(headers, bindings);
}

/** One client could use up what all the others share, and nobody would know why they are denied. */
function reportMissing({ partition = ["ip"], clientIp }: RequestOptions<never>): void {
  const what =
    typeof partition === "function"
      ? "the partition function named nobody"
      : `a request has none of ${partition.join(", ")}`;
  const trusted =
    typeof partition !== "function" && partition.includes("ip")
      ? `clientIp is ${JSON.stringify(clientIp) ?? "the platform's"}; it may be "cloudflare", "vercel", { trustedHops: 1 } behind a proxy of your own, or "socket" on Node. `
      : "";
  reportOnce(
    `${what}: all requests like it share one count. ${trusted}Set onMissing to "share" if that is meant, to "reject" for a 400.`,
  );
}

function missingIdentity(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The request does not say whose quota it is to use.",
  });
}
