import type { Decision } from "../decision/decision.ts";
import { problemResponse } from "../decision/problem.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { ListOptions } from "../lists/options.ts";
import type { Faults } from "../options/faults.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { compileSources, type Identify, type Source } from "../partition/source.ts";
import type { Policy } from "../policy/policy.ts";
import { reportOnce } from "../runtime/log.ts";
import { addMissingFields } from "./append-fields.ts";
import { compileRequestLists } from "./request-lists.ts";

/** How a request is identified and charged, and how a denial is answered. `Context`: what the framework's handlers get. */
export interface RequestOptions<Context> {
  /**
   * Who is counted: a list of sources, of which the first one present in the request is used, or a function that returns
   * the identity, or `undefined` for a request without one.
   *
   * A client can make up any header that nothing in front of you has checked, and a new value gives it a new quota: add
   * a second limiter for `"ip"`. All spellings of a credential (a header whose name ends in `authorization`, `key` or
   * `token`) count together, and several credentials in one header count as none. Default: `["ip"]`.
   */
  readonly partition?:
    | readonly Source[]
    | ((context: Context) => string | undefined | Promise<string | undefined>);
  /**
   * The source trusted for the client's address: `"cloudflare"`, `"vercel"`, `{ trustedHops: 1 }` behind a proxy of your
   * own, or `"socket"` for Hono on Node without one. Required except on Cloudflare and Vercel. Range: 1 to 32 hops.
   * Default: the platform's own header.
   */
  readonly clientIp?: ClientIp;
  /**
   * What happens to requests without identity: `"share"` counts them all together, so that one client can use up the
   * quota of all of them; `"reject"` answers 400. Default: `"share"`, with a warning in the log.
   */
  readonly onMissing?: "share" | "reject";
  /**
   * Quota units of a request: a whole number, or a function that returns one. Range: 0 to the smallest limit. Default:
   * `1`.
   */
  readonly cost?: number | ((context: Context) => number | Promise<number>);
  /**
   * Answers a denied request. The header fields of the decision (`Retry-After`, `RateLimit`) are added to the response
   * where it does not set them itself. Default: `decision.response()`.
   *
   * @example
   * onDenied: (c, decision) => c.json({ error: "slow down" }, 429)
   */
  readonly onDenied?: (context: Context, decision: Decision) => Response | Promise<Response>;
  /**
   * Clients that are not limited (`allow`) or get a 403 (`deny`), by address, identity, network or country. They are
   * decided without Redis. Default: nobody.
   *
   * @example
   * lists: { allow: [{ cidr: "10.0.0.0/8" }], deny: [{ asn: 64496, until: "2027-01-01T00:00:00Z" }] }
   */
  readonly lists?: ListOptions;
}

/** The remedy for an invalid cost. */
export const COST_REMEDY = "Give a whole number of units from 0, or a function that returns one.";

/** The names of all options of requests. */
export const REQUEST_OPTIONS = [
  "partition",
  "clientIp",
  "onMissing",
  "cost",
  "onDenied",
  "lists",
] as const satisfies (keyof RequestOptions<unknown>)[];

/** The answer to a denied request: the response of `onDenied` with the decision's fields, else the decision's own. */
export async function answerDenied<Context>(
  { onDenied }: Pick<RequestOptions<Context>, "onDenied">,
  context: Context,
  decision: Decision,
): Promise<Response> {
  const answer = await onDenied?.(context, decision);
  // Untyped code may return nothing.
  return answer ? addMissingFields(answer, decision.headers()) : decision.response();
}

/** Decides a request, or answers one that cannot be decided. */
export type RequestLimiter<Context> = (
  limiter: Limiter,
  context: Context,
  request: Request,
  bindings?: unknown,
) => Promise<Decision | Response>;

/**
 * The identity under which requests without one are counted. No source yields it. If a partition function does, its
 * client gains nothing: it joins the count that it would share without an identity.
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
  const findListed = compileRequestLists(options, faults);
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

  return async function limitRequest(limiter, context, request, bindings) {
    const identity = await identify(context, request.headers, bindings);
    const listed = findListed?.(request, bindings, identity);
    if (listed) return listed;
    // Untyped code returns null or "" if there is no identity.
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

/** Warns that one client can use up the count that others share; without that, nobody would see why they are denied. */
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
