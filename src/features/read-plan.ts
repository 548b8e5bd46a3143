import type { Faults } from "../options/faults.ts";
import { PLAN_SOURCE, PLAN_WITHOUT_PLANS } from "../options/messages.ts";
import { CLAIM_NAME, claimText } from "../partition/claims.ts";
import type { RequestData } from "../partition/request-data.ts";
import { reportOnce } from "../runtime/log.ts";

/** The header, or the claim of a verified token, that names a client's plan. */
export type PlanSource = `header:${string}` | `jwt:${string}`;

/** Reads the plan of a request; `undefined` if it has none. */
export type ReadPlan<Context> = (
  context: Context,
  data: RequestData,
) => string | undefined | Promise<string | undefined>;

export const PLAN = new RegExp(
  `^(?:header:(?<header>[!#$%&'*+.^_\`|~0-9A-Za-z-]+)|jwt:(?<claim>${CLAIM_NAME}))$`,
);

/** The source of a plan's name: a header, a claim, or a function. */
export type PlanOption<Context, Plan extends string = string> =
  | PlanSource
  | ((context: Context) => Plan | undefined | Promise<Plan | undefined>);

/** Compiles the reading of a plan; `undefined` if requests have none. `plans`: the existing ones. */
export function compilePlan<Context>(
  plan: PlanOption<Context> | undefined,
  plans: unknown,
  faults: Faults,
): ReadPlan<Context> | undefined {
  if (plan === undefined) return undefined;
  const source = typeof plan === "string" ? PLAN.exec(plan)?.groups : undefined;
  if (source === undefined && typeof plan !== "function") {
    faults.add("plan", plan, PLAN_SOURCE);
    return undefined;
  }
  if (plans === undefined) faults.add("plan", plan, PLAN_WITHOUT_PLANS);
  const existing = Object(plans) as object;
  const unknown = `a request has another plan than ${Object.keys(existing).join(", ")}: it is decided as one without a plan.`;
  const ifExisting = (name: string | null | undefined) => {
    if (name === undefined || name === null || name === "") return undefined;
    if (Object.hasOwn(existing, name)) return name;
    reportOnce(unknown);
    return undefined;
  };
  if (typeof plan === "function") return async (context) => ifExisting(await plan(context));
  const { header, claim } = source!;
  if (claim) return (_context, { claims }) => ifExisting(claimText(claims, claim));
  return (_context, { request }) => ifExisting(request.headers.get(header!));
}
