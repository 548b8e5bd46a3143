import type { PlansNamed } from "../decide/call-types.ts";
import type { PolicyGroup } from "../decide/groups.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import type { Decide, PartitionRequest, Step } from "../decide/step.ts";
import { TidegateError } from "../options/errors.ts";
import type { Faults } from "../options/faults.ts";
import { PLAN_SOURCE, PLAN_WITHOUT_PLANS } from "../options/messages.ts";
import { given, optionValue } from "../options/option-value.ts";
import { CLAIM_NAME, claimText } from "../partition/claims.ts";
import type { RequestData } from "../partition/request-data.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { OwnNumbers } from "../policy/own-numbers.ts";
import { reportOnce } from "../runtime/log.ts";
import { checkPlans, type Plans } from "./plans.ts";

/** Other numbers for some clients; each request names its plan. */
export const plansFeature = { compile: checkPlans, steps: underPlan, compilePlan };

/**
 * Other numbers for some clients: by the name of a plan, then of a policy. `limit(identity, { plan: "gold" })` decides by them. A
 * change of plan takes effect with the next request, and keeps what was consumed.
 *
 * @example
 * createLimiter({ policies, plans: plans({ gold: { rides: { limit: 200, refill: 100 } } }) })
 */
export function plans<Name extends string>(
  numbers: Readonly<Record<Name, Plans[string]>>,
): PlansNamed<Name> {
  return optionValue("plans", { plans: given(numbers) }, { plans: plansFeature });
}

export interface PlanSettings extends CoreSettings {
  /** The policies under each plan, in the limiter's order. */
  readonly plans: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/** Replaces the groups of a request by those of the client's plan, or with its own numbers. */
function underPlan(context: LimiterContext<PlanSettings>): Step<Decide> {
  const { plans } = context.settings;
  const variantsOf = context.perGroup(() => new Map<readonly CompiledPolicy[], PolicyGroup>());

  function groupUnder(planned: readonly CompiledPolicy[], base: PolicyGroup): PolicyGroup {
    const known = variantsOf(base).get(planned);
    if (known) return known;
    const own = base.policies.map(({ name }) => planned.find((policy) => policy.name === name)!);
    const isChanged = own.some((policy, i) => policy !== base.policies[i]);
    const group = isChanged ? context.group(own, base) : base;
    variantsOf(base).set(planned, group);
    return group;
  }

  const inPlan = (planned: readonly CompiledPolicy[], asked: PartitionRequest) => ({
    ...asked,
    group: groupUnder(planned, asked.group),
  });

  /** The group, and under each plan whose windows differ the group of its keys. */
  function underEveryPlan(
    asked: PartitionRequest,
    own: OwnNumbers | undefined,
  ): readonly PartitionRequest[] {
    const groups = [asked];
    const known = new Set(context.keysOf(asked));
    for (const planned of [...plans.values(), ...(own ? [own.policies] : [])]) {
      const other = inPlan(planned, asked);
      const keys = context.keysOf(other);
      if (keys.every((key) => known.has(key))) continue;
      groups.push(other);
      for (const key of keys) known.add(key);
    }
    return groups;
  }

  return (next) => (asked) => {
    const { operation, plan, groups } = asked;
    if (operation === "reset") {
      const own = plan instanceof OwnNumbers ? plan : undefined;
      return next({ ...asked, groups: groups.flatMap((each) => underEveryPlan(each, own)) });
    }
    if (plan === undefined) return next(asked);
    const planned = plan instanceof OwnNumbers ? plan.policies : plans.get(plan);
    if (!planned) {
      const known = [...plans.keys()].map((name) => JSON.stringify(name)).join(", ");
      throw new TidegateError(
        "ERR_PLAN",
        `The limiter has no plan ${JSON.stringify(plan)}. Its plans: ${known}.`,
      );
    }
    return next({ ...asked, groups: groups.map((each) => inPlan(planned, each)) });
  };
}

/** The header, or the claim of a verified token, that names a client's plan. */
type PlanSource = `header:${string}` | `jwt:${string}`;

/** Reads the plan of a request; `undefined` if it has none. */
type ReadPlan<Context> = (
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
