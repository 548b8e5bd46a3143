import type { Faults } from "../errors.ts";
import { problemResponse } from "../http/problem.ts";
import type { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { compileSources, type Source } from "../partition/source.ts";
import type { Policy } from "../policy/policy.ts";

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
   * new quota each time, whatever stands behind it. Bound it by a second limiter for `"ip"`.
   */
  readonly partition?:
    | readonly Source[]
    | ((context: Context) => string | undefined | Promise<string | undefined>);
  /** Whose word on the client's address is taken. Default: the platform's own, on Cloudflare and Vercel. */
  readonly clientIp?: ClientIp;
  /**
   * What a request without identity gets: `"share"`, one bucket with all others like it, or `"reject"`, a 400.
   * Default `"share"`.
   */
  readonly onMissing?: "share" | "reject";
  /** Quota units of a request, a whole number from 0. Default 1. */
  readonly cost?: number | ((context: Context) => number | Promise<number>);
  /** Answers a denied request. Default: `decision.response()`. */
  readonly onDenied?: (context: Context, decision: Decision) => Response | Promise<Response>;
}

/** Decides a request; a Response where there is nothing to decide. */
export type RequestLimiter<Context> = (
  limiter: Limiter,
  context: Context,
  headers: Headers,
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
  const { partition = ["ip"], clientIp, onMissing = "share", cost = 1, onDenied } = options;
  const identify =
    typeof partition === "function"
      ? partition
      : fromHeaders(compileSources(partition, clientIp, "partition", faults));
  if (onMissing !== "share" && onMissing !== "reject") {
    faults.add("onMissing", onMissing, 'Use "share" or "reject".');
  }
  if (onDenied !== undefined && typeof onDenied !== "function") {
    faults.add("onDenied", onDenied, "Give a function that returns a Response.");
  }
  if (typeof cost !== "function") {
    if (!Number.isSafeInteger(cost) || cost < 0) {
      faults.add(
        "cost",
        cost,
        "Give a whole number of units from 0, or a function that returns one.",
      );
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

  return async function limitRequest(limiter, context, headers) {
    const identity = await identify(context, headers);
    // What a look-up yields that found nobody, whatever its type says.
    const missing = identity === undefined || identity === null || identity === "";
    if (missing && onMissing === "reject") return missingIdentity();
    const units = typeof cost === "function" ? await cost(context) : cost;
    return limiter.limit(missing ? SHARED_IDENTITY : identity, { cost: units });
  };
}

function fromHeaders(
  identify: (headers: Headers) => string | undefined | Promise<string | undefined>,
) {
  return (_context: unknown, headers: Headers) => identify(headers);
}

function missingIdentity(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The request does not say whose quota it is to use.",
  });
}
