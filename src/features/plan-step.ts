import type { PolicyGroup } from "../decide/groups.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import type { PartitionRequest, Decide, Step } from "../decide/step.ts";
import { TidegateError } from "../options/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { OwnNumbers } from "../policy/own-numbers.ts";

export interface PlanSettings extends CoreSettings {
  /** The policies under each plan, in the limiter's order. */
  readonly plans: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/** Replaces the groups of a request by those of the client's plan, or with its own numbers. */
export function underPlan(context: LimiterContext<PlanSettings>): Step<Decide> {
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
      throw new TidegateError("ERR_PLAN", `The limiter has no plan ${JSON.stringify(plan)}.`);
    }
    return next({ ...asked, groups: groups.map((each) => inPlan(planned, each)) });
  };
}
