import type { FindListed } from "../../features/lists/request-lists.ts";
import type { Plans } from "../../features/plans/plans.ts";
import type { SharedDenials } from "../../features/shared-denials/shared-denials.ts";
import type { LimiterOptions } from "../../limiter/options.ts";
import type { LimiterSettings } from "../../limiter/settings.ts";
import type { Lists } from "../../lists/lists.ts";
import type { Faults } from "../../options/faults.ts";
import { WITHOUT_FEATURE } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import { isRecord } from "../../options/record.ts";
import { checkClientIp, type ClientIp, detectPlatform } from "../../partition/client-ip.ts";
import { readsAddress } from "../../partition/source-text.ts";
import { NAME_IN_RULES } from "../messages/variables.ts";
import { checkSought } from "./check-sought.ts";
import { withDigests } from "./digests.ts";
import type { RuleFeatures } from "./features.ts";
import { wordOrJson } from "./from-json.ts";
import type { Overrides } from "./overrides.ts";
import { policiesOf } from "./policies-of.ts";
import { inRule, readRule, type Rule, type RuleDefaults, routeOf } from "./rule.ts";

/** The rules, plans and lists, as data. */
export interface RulesetData {
  readonly rules: readonly unknown[];
  readonly plans: unknown;
  readonly lists: unknown;
  readonly overrides: unknown;
}

/** The variables' defaults for all rules. */
export interface RulesetDefaults extends Pick<RuleDefaults, "prefix" | "onFailure"> {
  /** `CLIENT_IP`, unchecked. */
  readonly clientIp: unknown;
  readonly sharedDenials: SharedDenials | undefined;
  readonly features: RuleFeatures;
}

/** The rules, plans and lists, compiled. */
export interface Ruleset {
  readonly rules: readonly Rule[];
  /** Of one limiter for the policies of all rules, because all rules that cover a request are one decision. */
  readonly settings: LimiterSettings;
  /** Looks a request up in the lists; `undefined` without lists. */
  readonly lists: FindListed | undefined;
  /** Until when a client with this digest is refused, in milliseconds since 1970. */
  readonly refused: ReadonlyMap<string, number>;
  readonly overrides: Overrides;
}

/**
 * Checks rules, plans, lists and overrides, and compiles them; `undefined` after a fault. The paths of faults begin with
 * the names of variables.
 */
export function compileRuleset(
  data: RulesetData,
  defaults: RulesetDefaults,
  faults: Faults,
): Ruleset | undefined {
  const start = faults.list.length;
  const { rules: list } = data;
  const { overrides: given, plans: existing } = data;
  const { features } = defaults;
  const overrides =
    features.live?.compileOverrides(given, existing, "OVERRIDES", roomForPlans(data), faults) ??
    NO_OVERRIDES;
  const plans = isRecord(data.plans) ? { ...data.plans, ...overrides.plans } : data.plans;
  const hasNumbers = Object.keys(overrides.plans).length > 0;
  const all = (plans === undefined && hasNumbers ? overrides.plans : plans) as Plans | undefined;
  const identities = features.lists && withDigests(features.lists.identities);
  const lists = features.lists?.compile(data.lists, "LISTS", faults, identities);
  if (!features.lists && data.lists !== undefined) {
    faults.add("LISTS", "(lists)", WITHOUT_FEATURE, "lists");
  }
  if (!features.plans && existing !== undefined) {
    faults.add("PLANS", "(plans)", WITHOUT_FEATURE, "plans");
  }
  const clientIp = readClientIp(defaults, list, lists, faults);
  const before = faults.list.length;
  // Not map(), which skips the holes of a list.
  const rules = Array.from(list, (rule, i) =>
    readRule(
      rule,
      i,
      { ...defaults, clientIp, plans: existing as Plans | undefined },
      inRule(rule, faults),
    ),
  );
  checkNames(rules, list, faults);
  checkSought(rules, list, faults);
  const isSound = rules.length > 0 && faults.list.length === before;
  const settings = isSound
    ? settingsOf(rules as Rule[], all, features, atOverrides(overrides, faults))
    : undefined;
  if (faults.list.length > start || !settings) return undefined;
  return {
    rules: rules as Rule[],
    settings,
    lists:
      lists &&
      features.lists!.compileFindListed(lists, clientIp, features.lists!.headerIdentities(lists)),
    refused: lists?.digests ?? new Map(),
    overrides,
  };
}

/** The overrides of a gateway without live rules: only documents and single calls have any. */
const NO_OVERRIDES: Overrides = {
  plans: {},
  places: new Map(),
  find: () => undefined,
  hasDigests: false,
};

const MAX_PLANS = 10_000;

/** Each plan has a list of all policies: more of both than this, multiplied, fill a good part of an isolate's memory. */
const MAX_PLANNED = 1_000_000;

/** How many plans there is room for besides those that exist; negative if there are too many. */
export function roomForPlans({ rules, plans }: RulesetData): number {
  const policies = rules.flatMap((rule) => Object(rule).policies as unknown).length;
  return (
    Math.min(MAX_PLANS, Math.floor(MAX_PLANNED / Math.max(1, policies))) -
    Object.keys(Object(plans)).length
  );
}

/**
 * Puts the faults of a plan that stands for overrides' numbers where these stand: all of them at the first override that
 * has them, and one at each other. Thousands of overrides times all their faults would fill an isolate's memory.
 */
function atOverrides({ places }: Overrides, faults: Faults): Faults {
  const told = new Set<string>();
  const pathsOf = (path: string) => {
    for (const [plan, [first, ...others]] of places) {
      const start = `PLANS.${plan}`;
      if (path !== start && !path.startsWith(`${start}.`)) continue;
      const also = told.has(plan) ? [] : others;
      told.add(plan);
      return [first!, ...also].map((at) => at + path.slice(start.length));
    }
    return [path];
  };
  return new PlacedFaults(faults, { pathsOf });
}

/** One limiter's settings for all rules. What rules set for themselves, their policies keep. */
function settingsOf(
  rules: readonly Rule[],
  plans: Plans | undefined,
  features: RuleFeatures,
  faults: Faults,
): LimiterSettings {
  const policies = rules.flatMap(({ settings: { policies: own, onFailure } }) =>
    own.map((policy) => ({ ...policy, onFailure: policy.onFailure ?? onFailure })),
  );
  const given = policiesOf(rules, policies);
  features.roles?.check(policies, "RULES[0].policies[0].counts", faults);
  const planned = features.plans?.compile(plans, "PLANS", given, policies, faults);
  return { ...rules[0]!.settings, ...(planned ?? { policies }) };
}

/** Reads `CLIENT_IP`, which is required only if a rule counts by address, or a list asks where a request comes from. */
function readClientIp(
  { clientIp, features }: RulesetDefaults,
  rules: readonly unknown[],
  lists: Lists | undefined,
  faults: Faults,
): ClientIp {
  const needed = rules.some((rule) => {
    const { policies, partition = ["ip"] } = Object(rule) as LimiterOptions & {
      partition?: unknown;
    };
    const own = Array.isArray(policies) ? policies.map((policy) => Object(policy).partition) : [];
    return own.some((each: unknown = partition) => readsAddress(each));
  });
  const listed = lists !== undefined && features.lists!.needsClientIp(lists);
  if (clientIp === undefined && !needed && !listed) return detectPlatform() ?? { trustedHops: 1 };
  const before = faults.list.length;
  const trusted = checkClientIp(wordOrJson(clientIp), "CLIENT_IP", faults);
  if (lists && faults.list.length === before) features.lists!.checkFacts(lists, trusted, faults);
  return trusted;
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
