import type { PlanOf } from "../decide/call-types.ts";
import type { Decision } from "../decide/decision.ts";
import type { Cost } from "../decide/limiter-types.ts";
import type { JwtOptions } from "../features/jwt/jwt-options.ts";
import type { ListOptions } from "../features/lists/list-options.ts";
import type { PlanOption } from "../features/plans-feature.ts";
import type { MadeBy } from "../options/option-value.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import type { Sources, SourceValues } from "../partition/source.ts";

/** How a request is identified and charged, and how a denial is answered. `Context`: what the framework's handlers get. */
export interface RequestOptions<Context, P = MadeBy<"plans()">> {
  /**
   * The client that is counted: a list of sources, of which the first one present in the request is used; `"*"` for all
   * clients together; or a function that returns the identity, or `undefined` for a request without one. The sources
   * are `"ip"` and what `header()`, `cookie()`, `query()`, `subnet()`, `asn()` and `country()` return, and `claim()` of
   * `tidegate/jwt`. An inner list is one source: all of its sources together. A policy's own `partition` overrides it.
   *
   * A client can make up any header that no proxy in front of you has checked, and a new value gives it a new quota:
   * add a policy with `partition: ["ip"]`. All spellings of a credential (a header whose name ends in `authorization`,
   * `key` or `token`) count together, and several credentials in one header count as none; so do several different
   * values of a cookie or parameter. Default: `["ip"]`.
   */
  readonly partition?:
    | SourceValues
    | ((context: Context) => string | undefined | Promise<string | undefined>);
  /**
   * The source trusted for the client's address: `"cloudflare"`, `"vercel"`, `{ trustedHops: 1 }` behind a proxy of your
   * own, or `"socket"` on Node without one. Required except on Cloudflare and Vercel. Range: 1 to 32 hops.
   * Default: the platform's own header.
   */
  readonly clientIp?: ClientIp;
  /**
   * The treatment of requests without an identity: `"share"` counts them all together, so that one client can use up
   * the quota of all of them; `"reject"` answers 400. A policy's own `onMissing` overrides it. Default: `"share"`, with
   * a warning in the log.
   */
  readonly onMissing?: "share" | "reject";
  /**
   * Quota units of a request: a whole number, one for each of some policies by their names, or a function that returns
   * either. Range: 0 to the policy's limit. Default: `1`.
   *
   * @example
   * cost: { tokens: 400 }
   */
  readonly cost?: Cost | ((context: Context) => Cost | Promise<Cost>);
  /**
   * The plan of the client, one of `plans`: a header that a proxy in front of you sets, a claim of a verified token, such as
   * `"jwt:plan"`, or a function that returns its name. A request without one, or with one that does not exist, has none. Default: no plan.
   *
   * @example
   * plan: "header:x-plan"
   */
  readonly plan?: PlanOption<Context, PlanOf<P>>;
  /**
   * Answers a denied request. The header fields of the decision (`Retry-After`, `RateLimit`) are added to the response
   * where it does not set them itself. Default: `decision.response()`.
   *
   * @example
   * onDenied: (c, decision) => c.json({ error: "slow down" }, 429)
   */
  readonly onDenied?: (context: Context, decision: Decision) => Response | Promise<Response>;
  /**
   * The value of `lists()`: clients that are not limited (`allow`) or get a 403 (`deny`), by address, identity, network or
   * country. They are decided without Redis. Default: none.
   *
   * @example
   * lists: lists({ allow: [{ cidr: "10.0.0.0/8" }], deny: [{ asn: 64496, until: "2027-01-01T00:00:00Z" }] })
   */
  readonly lists?: MadeBy<"lists()">;
  /**
   * The value of `jwt()` of `tidegate/jwt`, which verifies tokens, for `claim()` and a plan such as `"jwt:plan"`. A token that fails
   * is no identity and names no plan. Default: no token is read.
   *
   * @example
   * jwt: jwt({ jwks: "https://issuer.example.com/.well-known/jwks.json", audience: "https://api.example.com" })
   */
  readonly jwt?: MadeBy<"jwt()">;
}

/** The same, as data: as rules have them. */
export interface PlainRequestOptions<Context> extends Omit<
  RequestOptions<Context>,
  "partition" | "lists" | "jwt"
> {
  readonly partition?:
    | Sources
    | ((context: Context) => string | undefined | Promise<string | undefined>);
  readonly lists?: ListOptions;
  readonly jwt?: JwtOptions;
}

/** The names of all options of requests. */
export const REQUEST_OPTIONS = [
  "partition",
  "clientIp",
  "onMissing",
  "cost",
  "plan",
  "onDenied",
  "lists",
  "jwt",
] as const satisfies (keyof RequestOptions<unknown>)[];
