import { HEADER_IDENTITIES, headerIdentities } from "../adapter/header-identities.ts";
import {
  checkFacts,
  compileFindListed,
  type FindListed,
  needsClientIp,
} from "../adapter/request-lists.ts";
import type { SharedDenials } from "../denials/shared-denials.ts";
import { compileLists, type Lists } from "../lists/lists.ts";
import { Faults } from "../options/faults.ts";
import { checkClientIp, type ClientIp } from "../partition/client-ip.ts";
import type { Environment } from "../runtime/environment.ts";
import { memoryStore } from "../store/memory-store.ts";
import { openStore } from "../store/open-store.ts";
import { GIVE_REDIS } from "../store/redis/endpoint.ts";
import type { Store } from "../store/store.ts";
import { reworded } from "./check.ts";
import { inRule, readRule, routeOf, type Rule } from "./rule.ts";
import { checkNamesOfVariables, readVariables } from "./variables.ts";

/** Features that only some platforms have. */
export interface Platform {
  /** Shares denials within a data centre, between limiters that give the same name. */
  readonly coloDenials?: (name: string) => SharedDenials;
}

/** The gateway's configuration, checked. */
export interface GatewayConfig {
  /** The origin's address without a trailing slash; `undefined` for the origin of the Cloudflare zone. */
  readonly origin: string | undefined;
  readonly rules: readonly Rule[];
  readonly store: Store;
  readonly prefix: string;
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
  const lists = readLists(environment["LISTS"], faults);
  const clientIp = readClientIp(environment["CLIENT_IP"], list, lists, faults);
  // Not map(), which skips the holes of a list.
  const rules = Array.from(list, (rule, i) =>
    inRule(rule, faults, () =>
      readRule(rule, `RULES[${i}]`, { ...defaults, clientIp, sharedDenials }, faults),
    ),
  );
  checkNames(rules, list, faults);
  const opened =
    store === "memory"
      ? memoryStore()
      : reworded(
          faults,
          () => openStore(timeout ? { timeout } : {}, environment, faults),
          (remedy) =>
            remedy.replace(GIVE_REDIS, 'set STORE = "memory" to try the gateway without a Redis'),
        );
  faults.throwIfAny();
  return {
    origin: origin === "zone" ? undefined : origin.replace(/\/+$/, ""),
    rules: rules as Rule[],
    store: opened!,
    prefix: defaults.prefix,
    ambiguousPaths,
    lists: lists && compileFindListed(lists, clientIp, headerIdentities(lists)),
  };
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

/** Rewrites the TypeScript object in a remedy as TOML and JSON. */
function inToml(remedy: string): string {
  return remedy.replace(
    "{ trustedHops: 1 }",
    '{ trustedHops = 1 } (where variables are text, {"trustedHops":1})',
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
    const { partition = ["ip"] } = Object(rule) as { partition?: unknown };
    return Array.isArray(partition) && partition.includes("ip");
  });
  const listed = lists !== undefined && needsClientIp(lists);
  if (clientIp === undefined && !needed && !listed) return { trustedHops: 1 };
  const given = fromJson(clientIp);
  const value = given instanceof SyntaxError ? clientIp : given;
  const before = faults.size;
  const trusted = reworded(faults, () => checkClientIp(value, "CLIENT_IP", faults), inToml);
  if (lists && faults.size === before) checkFacts(lists, trusted, faults);
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

/** Parses a value given as text; returns the error if it is not JSON. */
function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    return error;
  }
}
