import { HEADER_IDENTITIES, headerIdentities } from "../adapter/header-identities.ts";
import {
  checkFacts,
  compileFindListed,
  type FindListed,
  needsClientIp,
  readsAddress,
} from "../adapter/request-lists.ts";
import type { SharedDenials } from "../denials/shared-denials.ts";
import { checkCounts } from "../limiter/check-policies.ts";
import type { LimiterOptions } from "../limiter/options.ts";
import { checkPlans, type Plans } from "../limiter/plans.ts";
import type { LimiterSettings } from "../limiter/settings.ts";
import { compileLists, type Lists } from "../lists/lists.ts";
import { Faults } from "../options/faults.ts";
import { checkClientIp, type ClientIp, detectPlatform } from "../partition/client-ip.ts";
import type { Environment } from "../runtime/environment.ts";
import { memoryStore } from "../store/memory-store.ts";
import { openStore } from "../store/open-store.ts";
import { GIVE_REDIS } from "../store/redis/endpoint.ts";
import type { Store } from "../store/store.ts";
import { inToml, rewritten } from "./check.ts";
import { fromJson, wordOrJson } from "./from-json.ts";
import { inRule, readRule, routeOf, type Rule } from "./rule.ts";
import { checkNamesOfVariables, readVariables } from "./variables.ts";

/** Features that only some platforms have. */
export interface Platform {
  /** Shares denials within a data centre, between limiters that give the same name. */
  readonly coloDenials?: (name: string) => SharedDenials;
}

/** The alternative to a Redis, for people who configure the gateway. */
const TRY_MEMORY = 'set STORE = "memory" to try the gateway without a Redis';

/** The gateway's configuration, checked. */
export interface GatewayConfig {
  /** The origin's address without a trailing slash; `undefined` for the origin of the Cloudflare zone. */
  readonly origin: string | undefined;
  readonly rules: readonly Rule[];
  /** Of one limiter for the policies of all rules, because all rules that cover a request are one decision. */
  readonly settings: LimiterSettings;
  readonly store: Store;
  readonly ambiguousPaths: "refuse" | "pass";
  /** Looks a request up in the lists; `undefined` without lists. */
  readonly lists: FindListed | undefined;
}

/**
 * Reads the gateway's configuration from a worker's variables.
 *
 * @throws ConfigurationError with every fault, each with its path in the variables
 */
export function readConfig(given: Environment, platform: Platform): GatewayConfig {
  const environment = Object(given) as Environment;
  const faults = new Faults();
  checkNamesOfVariables(environment, faults);
  const { origin, store, timeout, shared, ambiguousPaths, ...defaults } = readVariables(
    environment,
    faults,
  );
  const sharedDenials = readSharing(shared, environment, store, platform, faults);
  const list = readList(environment["RULES"], faults);
  const plans = readPlans(environment["PLANS"], faults);
  const lists = readLists(environment["LISTS"], faults);
  const clientIp = readClientIp(environment["CLIENT_IP"], list, lists, faults);
  const before = faults.list.length;
  // Not map(), which skips the holes of a list.
  const rules = Array.from(list, (rule, i) =>
    inRule(rule, faults, () =>
      readRule(rule, i, { ...defaults, clientIp, sharedDenials, plans }, faults),
    ),
  );
  checkNames(rules, list, faults);
  const isSound = rules.length > 0 && faults.list.length === before;
  const settings = isSound ? settingsOf(rules as Rule[], plans, faults) : undefined;
  const opened =
    store === "memory"
      ? memoryStore()
      : rewritten(
          faults,
          () => openStore(timeout ? { timeout } : {}, environment, faults),
          (fault) => ({ ...fault, remedy: fault.remedy.replace(GIVE_REDIS, TRY_MEMORY) }),
        );
  faults.throwIfAny();
  return {
    origin: origin === "zone" ? undefined : origin.replace(/\/+$/, ""),
    rules: rules as Rule[],
    settings: settings!,
    store: opened!,
    ambiguousPaths,
    lists: lists && compileFindListed(lists, clientIp, headerIdentities(lists)),
  };
}

/** One limiter's settings for all rules. What rules set for themselves, their policies keep. */
function settingsOf(
  rules: readonly Rule[],
  plans: Plans | undefined,
  faults: Faults,
): LimiterSettings {
  const policies = rules.flatMap(({ settings: { policies: own, onFailure } }) =>
    own.map((policy) => ({ ...policy, onFailure: policy.onFailure ?? onFailure })),
  );
  const given = rules.flatMap(({ reader }) => reader.policies);
  checkCounts(policies, "RULES[0].policies[0].counts", faults);
  const check = () => checkPlans(plans, "PLANS", given, policies, faults);
  return { ...rules[0]!.settings, ...rewritten(faults, check, inToml) };
}

function readPlans(plans: unknown, faults: Faults): Plans | undefined {
  const given = fromJson(plans);
  if (!(given instanceof SyntaxError)) return given as Plans | undefined;
  faults.add(
    "PLANS",
    plans,
    `Give a table of plans by name; where variables are text, as JSON. ${given.message}`,
  );
  // Rules that name a plan are not at fault, too.
  return {};
}

function readLists(given: unknown, faults: Faults): Lists | undefined {
  const lists = fromJson(given);
  if (!(lists instanceof SyntaxError)) {
    return compileLists(lists, "LISTS", faults, HEADER_IDENTITIES);
  }
  faults.add(
    "LISTS",
    given,
    `Give a table of allow and deny; where variables are text, as JSON. ${lists.message}`,
  );
  return undefined;
}

function readList(rules: unknown, faults: Faults): readonly unknown[] {
  const list = fromJson(rules);
  if (Array.isArray(list) && list.length > 0) return list;
  const remedy =
    "Give a list of at least one rule: in wrangler.toml tables [[vars.RULES]], not [[RULES]]; where variables are text, as JSON.";
  faults.add("RULES", rules, list instanceof SyntaxError ? `${remedy} ${list.message}` : remedy);
  return [];
}

/** Denials are shared wherever the platform can, unless `SHARED_DENIALS` is `"none"`. */
function readSharing(
  shared: "colo" | "none" | undefined,
  environment: Environment,
  store: "redis" | "memory",
  { coloDenials }: Platform,
  faults: Faults,
): SharedDenials | undefined {
  if (shared === "none") return undefined;
  if (coloDenials === undefined || store === "memory") {
    if (shared === "colo") {
      faults.add(
        "SHARED_DENIALS",
        "colo",
        "Leave it out, except on Cloudflare Workers with STORE=redis: it shares what one Redis said to the isolates of a data centre.",
      );
    }
    return undefined;
  }
  // Named after the Redis, because its denials say nothing about the counts in another one.
  return coloDenials(
    String(environment["UPSTASH_REDIS_REST_URL"] || environment["KV_REST_API_URL"]),
  );
}

/** Reads `CLIENT_IP`, which is required only if a rule counts by address, or a list asks where a request comes from. */
function readClientIp(
  clientIp: unknown,
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
  const listed = lists !== undefined && needsClientIp(lists);
  if (clientIp === undefined && !needed && !listed) return detectPlatform() ?? { trustedHops: 1 };
  const before = faults.list.length;
  const check = () => checkClientIp(wordOrJson(clientIp), "CLIENT_IP", faults);
  const trusted = rewritten(faults, check, inToml);
  if (lists && faults.list.length === before) checkFacts(lists, trusted, faults);
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
        inRule(list[i], faults, () =>
          faults.add(
            `RULES[${i}].policies[${policy}].name`,
            name,
            `A policy of RULES[${owner}] has this name, too${place(list[owner])}: give each its own, or both would share one count.`,
          ),
        );
      }
      owners.set(name, owner);
    });
  });
}

function place(rule: unknown): string {
  const route = routeOf(rule);
  return route && ` (${route})`;
}
