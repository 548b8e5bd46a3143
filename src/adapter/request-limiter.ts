import type { Faults } from "../errors.ts";
import { problemResponse } from "../http/problem.ts";
import type { Decision } from "../limiter/decision.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { compileSources, type Source } from "../partition/source.ts";
import type { Policy } from "../policy/policy.ts";

/** How a request becomes an identity and a cost. `Context` is what the framework hands to its handlers. */
export interface RequestOptions<Context> {
  /**
   * Who is counted: sources in order, the first that a request carries is taken, or a function. Default `["ip"]`.
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
}

/** Decides a request; a Response where there is nothing to decide. */
export type RequestLimiter<Context> = (
  limiter: Limiter,
  context: Context,
  headers: Headers,
) => Promise<Decision | Response>;

/** Where all requests without identity are counted; no source yields it. */
const SHARED_IDENTITY = "no-identity";

/** Checks the options and compiles them into one function. */
export function compileRequest<Context>(
  { partition = ["ip"], clientIp, onMissing = "share", cost = 1 }: RequestOptions<Context>,
  policies: readonly Policy[],
  faults: Faults,
): RequestLimiter<Context> {
  const identify =
    typeof partition === "function"
      ? partition
      : fromHeaders(compileSources(partition, clientIp, "partition", faults));
  if (onMissing !== "share" && onMissing !== "reject") {
    faults.add("onMissing", onMissing, 'Use "share" or "reject".');
  }
  if (typeof cost !== "function") {
    if (!Number.isSafeInteger(cost) || cost < 0) {
      faults.add(
        "cost",
        cost,
        "Give a whole number of units from 0, or a function that returns one.",
      );
    } else if (Array.isArray(policies) && policies.some((policy) => cost > policy?.limit)) {
      faults.add(
        "cost",
        cost,
        "It is above a policy's limit, so no request could pass: lower it, or raise the limit.",
      );
    }
  }

  return async function limitRequest(limiter, context, headers) {
    const identity = await identify(context, headers);
    if (identity === undefined && onMissing === "reject") return missingIdentity();
    const units = typeof cost === "function" ? await cost(context) : cost;
    return limiter.limit(identity ?? SHARED_IDENTITY, { cost: units });
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
