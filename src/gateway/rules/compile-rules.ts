import { EVERY_FEATURE } from "../../features/every-feature.ts";
import type { Planned, Plans } from "../../features/plans.ts";
import type { PlainRegion } from "../../features/region-options.ts";
import type { LimiterSettings } from "../../limiter/settings.ts";
import type { Faults } from "../../options/faults.ts";
import { checkSearchedSegments } from "./check-searched-segments.ts";
import { policiesOf } from "./policies-of.ts";
import { inRule, readRule, routeOf, type Rule, type RuleDefaults } from "./rule.ts";
import { NAME_IN_RULES } from "./variable-messages.ts";
import { withLeases } from "./with-leases.ts";

/** Rules and plans, as data. */
export interface RulesData {
  readonly rules: readonly unknown[];
  readonly plans: unknown;
}

/** Rules and plans, compiled: all that a limiter is made of. */
export interface CompiledRules {
  readonly rules: readonly Rule[];
  /** The settings of one limiter for all rules, because all rules that cover a request are one decision. */
  readonly settings: LimiterSettings;
}

/** The defaults of all rules, and the region, which decides them together. */
interface DefaultsOfAll extends Omit<RuleDefaults, "plans"> {
  readonly region?: PlainRegion | undefined;
}

/** Checks rules and plans, and compiles them; `undefined` after a fault in a rule. */
export function compileRules(
  { rules: list, plans }: RulesData,
  { region, ...defaults }: DefaultsOfAll,
  faults: Faults,
): CompiledRules | undefined {
  const before = faults.list.length;
  // Not map(), which skips the holes of a list.
  const rules = Array.from(list, (rule, i) =>
    readRule(rule, i, { ...defaults, plans: plans as Plans | undefined }, inRule(rule, faults)),
  );
  checkNames(rules, list, faults);
  checkSearchedSegments(rules, list, faults);
  if (rules.length === 0 || faults.list.length > before) return undefined;
  const sound = rules as Rule[];
  return { rules: sound, settings: settingsOf(sound, { plans, region }, faults) };
}

/** One limiter's settings for all rules. Policies keep the settings of their own rule. */
function settingsOf(
  rules: readonly Rule[],
  { plans, region }: { readonly plans: unknown; readonly region: DefaultsOfAll["region"] },
  faults: Faults,
): LimiterSettings {
  const policies = rules.flatMap(({ settings: { policies: own, onFailure } }) =>
    own.map((policy) => ({ ...policy, onFailure: policy.onFailure ?? onFailure })),
  );
  EVERY_FEATURE.roles.check(policies, "RULES[0].policies[0].counts", faults);
  const declared = policiesOf(rules, policies);
  const compiled = EVERY_FEATURE.plans.compile(plans, "PLANS", declared, policies, faults);
  const tightened = [...compiled.plans].map(
    ([plan, list]) => [plan, withLeases(list, policies)] as const,
  );
  const planned = { policies, plans: new Map(tightened) };
  return { ...rules[0]!.settings, ...inRegion(planned, region, faults) };
}

/** The policies as home enforces them, if a region decides some of them. */
function inRegion(planned: Planned, region: DefaultsOfAll["region"], faults: Faults): Planned {
  const nearby = EVERY_FEATURE.regions.compile({ region }, planned, faults);
  if (!nearby) return planned;
  const { policies, plans } = planned;
  return {
    policies: policies.map(nearby),
    plans: new Map([...plans].map(([plan, list]) => [plan, list.map(nearby)])),
  };
}

/** Rejects two policies with one name in different rules: they would share one count. */
function checkNames(
  rules: readonly (Rule | undefined)[],
  list: readonly unknown[],
  faults: Faults,
): void {
  const owners = new Map<string, number>();
  rules.forEach((rule, i) => {
    rule?.settings.policies.forEach(({ name }, policy) => {
      const owner = owners.get(name) ?? i;
      if (owner !== i) {
        const path = `RULES[${i}].policies[${policy}].name`;
        const other = { index: owner, route: routeOf(list[owner]) };
        inRule(list[i], faults).add(path, name, NAME_IN_RULES, other);
      }
      owners.set(name, owner);
    });
  });
}
