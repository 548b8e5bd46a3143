import { listsFeature } from "../../features/lists/lists-feature.ts";
import type { Lists } from "../../features/lists/lists.ts";
import type { FindListed } from "../../features/lists/request-lists.ts";
import type { PlainRegion } from "../../features/region-options.ts";
import type { SharedDenials } from "../../features/shared-denials.ts";
import type { LimiterOptions } from "../../limiter/options.ts";
import type { Faults } from "../../options/faults.ts";
import {
  readsAddress,
  checkClientIp,
  type ClientIp,
  detectPlatform,
} from "../../partition/client-ip.ts";
import {
  compileIsImitation,
  compileIsRead,
  type IsImitation,
} from "../../partition/field-names.ts";
import { type CompiledRules, compileRules, type RulesData } from "./compile-rules.ts";
import { withDigests } from "./digests.ts";
import { wordOrJson } from "./from-json.ts";
import { compileOverrides, type Overrides } from "./overrides.ts";
import { policiesOf } from "./policies-of.ts";
import type { RuleDefaults } from "./rule.ts";

/** The rules, plans and lists, as data. */
export interface RulesetData extends RulesData {
  readonly lists: unknown;
  readonly overrides: unknown;
}

/** The variables' defaults for all rules. */
export interface RulesetDefaults extends Pick<
  RuleDefaults,
  "prefix" | "onFailure" | "tokenReader"
> {
  /** `CLIENT_IP`, unchecked. */
  readonly clientIp: unknown;
  readonly sharedDenials: SharedDenials | undefined;
  /** `undefined` without a Redis nearby. */
  readonly region?: PlainRegion | undefined;
}

/** The rules, plans, lists and overrides, compiled. */
export interface Ruleset extends CompiledRules {
  readonly data: RulesetData;
  /** Looks a request up in the lists; `undefined` without lists. */
  readonly lists: FindListed | undefined;
  /** Does so without the entries that name addresses. */
  readonly listsBesideAddresses: FindListed | undefined;
  /** Until when a client with this digest is refused, in milliseconds since 1970. */
  readonly refused: ReadonlyMap<string, number>;
  readonly overrides: Overrides;
  /**
   * Whether some origins take a field for one that these read by its exact name. An override reads only fields by which a rule
   * counts.
   */
  readonly isImitation: IsImitation;
  /** Whether these read a field, in any spelling of its name. */
  readonly isRead: (name: string) => boolean;
}

/**
 * Checks rules, plans, lists and overrides, and compiles them; `undefined` after a fault. The paths of faults begin with
 * the names of variables.
 *
 * @param before rules, plans and numbers that are the same as in this ruleset are taken from it, and not compiled again
 */
export function compileRuleset(
  data: RulesetData,
  defaults: RulesetDefaults,
  faults: Faults,
  before?: Ruleset,
): Ruleset | undefined {
  const start = faults.list.length;
  const identities = withDigests(listsFeature.identities);
  const lists = listsFeature.compile(data.lists, "LISTS", faults, identities);
  const clientIp = readClientIp(defaults, data.rules, lists, faults);
  const same = before && hasSameRules(before.data, data) ? before : undefined;
  const compiled = same ?? compileRules(data, { ...defaults, clientIp }, faults);
  const overrides = compileOverrides(
    data.overrides,
    {
      plans: data.plans,
      room: roomForPlans(data),
      numbered: compiled && {
        declared: policiesOf(compiled.rules, compiled.settings.policies),
        policies: compiled.settings.policies,
        known: same?.overrides.tables,
      },
    },
    "OVERRIDES",
    faults,
  );
  if (faults.list.length > start || !compiled) return undefined;
  const { rules, settings } = compiled;
  const fields = [
    ...rules.flatMap(({ reader }) => reader.fields),
    ...(lists ? listsFeature.fieldsOf(lists) : []),
  ];
  const finderOf = (lists: Lists) =>
    listsFeature.compileFindListed(lists, clientIp, listsFeature.headerIdentities(lists));
  return {
    data,
    rules,
    settings,
    lists: lists && finderOf(lists),
    listsBesideAddresses: lists && finderOf(listsFeature.besideAddresses(lists)),
    refused: lists?.digests ?? new Map(),
    overrides,
    isImitation: compileIsImitation(fields),
    isRead: compileIsRead(fields),
  };
}

/** Rules and plans are all that a limiter is made of: while they stay the same, so does the limiter. */
function hasSameRules(one: RulesetData, other: RulesetData): boolean {
  if (one.rules === other.rules && one.plans === other.plans) return true;
  const [text, otherText] = [one, other].map(({ rules, plans }) => JSON.stringify([rules, plans]));
  return text === otherText;
}

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

/** Reads `CLIENT_IP`, which is required only if a rule counts by address, or a list asks where a request comes from. */
function readClientIp(
  { clientIp }: RulesetDefaults,
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
  const readsClientIp = lists !== undefined && listsFeature.needsClientIp(lists);
  if (clientIp === undefined && !needed && !readsClientIp)
    return detectPlatform() ?? { trustedHops: 1 };
  const before = faults.list.length;
  const trusted = checkClientIp(wordOrJson(clientIp), "CLIENT_IP", faults);
  if (lists && faults.list.length === before) listsFeature.checkFacts(lists, trusted, faults);
  return trusted;
}
