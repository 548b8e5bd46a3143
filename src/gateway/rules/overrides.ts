import { HEADER_IDENTITIES, spellHeader } from "../../features/lists/header-identities.ts";
import type { Plans } from "../../features/plans/plans.ts";
import { parseMoment } from "../../lists/moment.ts";
import type { Faults } from "../../options/faults.ts";
import { MOMENT } from "../../options/messages.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions, nearest } from "../../options/unknown-options.ts";
import {
  DIGEST,
  IDENTITY_OR_DIGEST,
  OVERRIDE,
  OVERRIDES,
  PATTERN,
  PATTERNS,
  PLAN_OF_OVERRIDE,
  TABLES,
} from "../messages/variables.ts";
import { isDigest } from "./digests.ts";

/** The numbers that some clients have instead of the policies' own. */
export interface Overrides {
  /** One for each different table of numbers, besides the plans that exist. */
  readonly plans: Plans;
  /** Where the numbers of each of these plans stand: at every override that has them. */
  readonly places: ReadonlyMap<string, readonly string[]>;
  /**
   * The override of a request's client that applies now; a digest before an exact identity, that before a pattern, a
   * long pattern before a short one. Only a header by which the request is counted can name one: with any other, a
   * client could take another client's numbers.
   */
  find(
    headers: Headers,
    identities: Readonly<Record<string, string>>,
    nowMs: number,
    digests?: readonly string[],
  ): Override | undefined;
  /** Whether some name a client by its digest: without them no request is hashed for it. */
  readonly hasDigests: boolean;
}

export interface Override {
  /** As it was written, or the digest. */
  readonly identity: string;
  readonly plan: string;
}

/** A compiled override. */
interface Entry extends Override {
  /** Spelt as it is compared. */
  readonly names: string;
  readonly untilMs: number;
}

/** More patterns than this make each request slower than it needs to be: a plan in a header costs nothing. */
const MAX_PATTERNS = 1_000;
const MAX_OVERRIDES = 10_000;

/** Each table of numbers is compiled with every policy. */
const MAX_TABLES = 1_000;

/**
 * Checks overrides and compiles them. Later ones take the place of earlier ones for the same identity.
 *
 * @param plans those that an override may name
 * @param mostTables how many tables of numbers the memory has room for
 */
export function compileOverrides(
  overrides: unknown,
  plans: unknown,
  path: string,
  mostTables: number,
  faults: Faults,
): Overrides {
  const maxTables = Math.min(MAX_TABLES, mostTables);
  const list = overrides === undefined ? [] : overrides;
  if (!Array.isArray(list)) {
    faults.add(path, list, OVERRIDES, MAX_OVERRIDES);
    return { plans: {}, places: new Map(), find: () => undefined, hasDigests: false };
  }
  /** The plan of each table of numbers; `undefined` for one that is too many. */
  const tables = new Map<string, string | undefined>();
  const own: Record<string, Plans[string]> = {};
  const places = new Map<string, string[]>();
  const existing = Object.keys(Object(plans) as object);
  const isPlan = new Set<unknown>(existing);
  const prefix = unusedPrefix(existing);

  function planOf(override: Readonly<Record<string, unknown>>, at: string): string | undefined {
    const { plan, policies } = override;
    if ((plan === undefined) === (policies === undefined)) {
      faults.add(at, Object.keys(override).join(" and "), OVERRIDE);
      return undefined;
    }
    if (policies === undefined) {
      if (isPlan.has(plan)) return plan as string;
      const meant = typeof plan === "string" ? nearest(plan, existing) : undefined;
      faults.add(`${at}.plan`, plan, PLAN_OF_OVERRIDE, { meant, known: existing });
      return undefined;
    }
    const text = JSON.stringify(policies);
    if (!tables.has(text)) {
      const added = tables.size < maxTables ? `${prefix}.${tables.size}` : undefined;
      tables.set(text, added);
      if (added !== undefined) {
        own[added] = policies as Plans[string];
        places.set(added, []);
      }
    }
    const name = tables.get(text);
    if (name !== undefined) {
      places.get(name)!.push(`${at}.policies`);
      return name;
    }
    faults.add(`${at}.policies`, policies, TABLES, maxTables);
    return undefined;
  }

  const exact = new Map<string, Entry>();
  const byDigest = new Map<string, Entry>();
  const patterns = new Map<string, Entry>();
  // Array.from visits the holes of a list, forEach() does not.
  Array.from(list, (override: unknown, i) => {
    const at = `${path}[${i}]`;
    // Each that is too many by itself, so that the others of single calls stay in force.
    if (i >= MAX_OVERRIDES) {
      faults.add(at, i + 1, OVERRIDES, MAX_OVERRIDES);
      return;
    }
    if (!isRecord(override)) {
      faults.add(at, override, OVERRIDE);
      return;
    }
    checkOptions(override, ["identity", "digest", "plan", "policies", "until"], `${at}.`, faults);
    const { identity, digest, until } = override;
    const untilMs = until === undefined ? Infinity : parseMoment(until);
    if (untilMs === undefined) faults.add(`${at}.until`, until, MOMENT);
    const names = nameIn(identity, digest, at, faults);
    const plan = planOf(override, at);
    if (names === undefined || plan === undefined || untilMs === undefined) return;
    if (digest !== undefined) {
      byDigest.set(names, { identity: names, names, plan, untilMs });
      return;
    }
    const isPattern = names.endsWith("*");
    const entry = {
      identity: identity as string,
      names: isPattern ? names.slice(0, -1) : names,
      plan,
      untilMs,
    };
    (isPattern ? patterns : exact).set(names, entry);
    if (patterns.size > MAX_PATTERNS && isPattern)
      faults.add(at, patterns.size, PATTERNS, MAX_PATTERNS);
  });
  return {
    plans: own,
    places,
    find: finder(exact, byDigest, [...patterns.values()]),
    hasDigests: byDigest.size > 0,
  };
}

/** What an override names its clients by, as it is looked up; `undefined` after a fault. */
function nameIn(
  identity: unknown,
  digest: unknown,
  at: string,
  faults: Faults,
): string | undefined {
  if (digest === undefined) {
    const names = spell(identity);
    const shown = identity === undefined ? identity : "(hidden)";
    if (names === undefined) faults.add(`${at}.identity`, shown, PATTERN);
    return names;
  }
  if (identity === undefined && isDigest(digest)) return digest as string;
  faults.add(`${at}.digest`, digest, identity === undefined ? DIGEST : IDENTITY_OR_DIGEST);
  return undefined;
}

/** The start of names that no plan has. */
function unusedPrefix(plans: readonly string[]): string {
  let prefix = "override";
  while (plans.some((plan) => plan.startsWith(prefix))) prefix += "-";
  return prefix;
}

/** An identity or a pattern in the spelling that it is looked up in. */
function spell(identity: unknown): string | undefined {
  if (typeof identity !== "string") return undefined;
  const star = identity.indexOf("*");
  if (star === -1) return HEADER_IDENTITIES.spell(identity);
  if (star !== identity.length - 1) return undefined;
  const names = HEADER_IDENTITIES.spell(identity.slice(0, -1));
  return names === undefined ? undefined : `${names}*`;
}

function finder(
  exact: ReadonlyMap<string, Entry>,
  byDigest: ReadonlyMap<string, Entry>,
  patterns: readonly Entry[],
): Overrides["find"] {
  const longestFirst = patterns.toSorted((a, b) => b.names.length - a.names.length);
  /** The headers that overrides name, each with its position. */
  const order = new Map<string, number>();
  for (const { names } of [...exact.values(), ...patterns]) {
    const header = names.slice(0, names.indexOf(":"));
    if (!order.has(header)) order.set(header, order.size);
  }

  return function find(fields, identities, nowMs, digests = []) {
    for (const digest of digests) {
      const named = byDigest.get(digest);
      if (named && named.untilMs > nowMs) return named;
    }
    if (order.size === 0) return undefined;
    for (const header of countedHeaders(identities, order)) {
      const value = fields.get(header);
      const names = value === null ? undefined : spellHeader(header, value);
      if (names === undefined) continue;
      const found = exact.get(names);
      if (found && found.untilMs > nowMs) return found;
      const pattern = longestFirst.find(
        (each) => each.untilMs > nowMs && names.startsWith(each.names),
      );
      if (pattern) return pattern;
    }
    return undefined;
  };
}

/** Those of the headers that an identity is read from, alone or together with other sources, in this order. */
function countedHeaders(
  identities: Readonly<Record<string, string>>,
  order: ReadonlyMap<string, number>,
): readonly string[] {
  const sources = Object.values(identities)
    .flatMap((identity) => identity.split(","))
    .map((part) => part.slice(0, Math.max(0, part.indexOf(":"))));
  const headers = new Set(sources.filter((source) => order.has(source)));
  return [...headers].sort((one, other) => order.get(one)! - order.get(other)!);
}
