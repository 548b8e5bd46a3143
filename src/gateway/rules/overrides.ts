import { HEADER_IDENTITIES } from "../../features/lists/header-identities.ts";
import type { Faults } from "../../options/faults.ts";
import { MOMENT } from "../../options/messages.ts";
import { parseMoment } from "../../options/moment.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions, hintAmong } from "../../options/unknown-options.ts";
import type { OwnNumbers } from "../../policy/own-numbers.ts";
import { isDigest } from "./digests.ts";
import { type CompiledOverride, compileFind, type FindOverride } from "./find-override.ts";
import { createNumberTables, type NumberedPolicies } from "./number-tables.ts";
import {
  DIGEST,
  IDENTITY_OR_DIGEST,
  OVERRIDE,
  OVERRIDES,
  PATTERN,
  PATTERNS,
  PLAN_OF_OVERRIDE,
} from "./override-messages.ts";

/** The numbers that some clients have instead of the policies' own. */
export interface Overrides {
  /** The policies with each different table of numbers, by the table as JSON. */
  readonly tables: ReadonlyMap<string, OwnNumbers>;
  readonly find: FindOverride;
  /** Whether some name a client by its digest: without them no request is hashed for it. */
  readonly hasDigests: boolean;
}

/** The terms that an override may give its clients. */
export interface OverrideTerms {
  /** The plans that exist. */
  readonly plans: unknown;
  /** How many tables of numbers the memory has room for. */
  readonly room: number;
  /** `undefined` if the rules have faults: then the tables wait for other rules. */
  readonly numbered: NumberedPolicies | undefined;
}

/** More patterns than this make each request slower than it needs to be: a plan in a header costs nothing. */
const MAX_PATTERNS = 1_000;
const MAX_OVERRIDES = 10_000;

/** Checks overrides and compiles them. Later ones take the place of earlier ones for the same identity. */
export function compileOverrides(
  overrides: unknown,
  { plans, room, numbered }: OverrideTerms,
  path: string,
  faults: Faults,
): Overrides {
  const list = overrides === undefined ? [] : overrides;
  if (!Array.isArray(list)) {
    faults.add(path, list, OVERRIDES, MAX_OVERRIDES);
    return { tables: new Map(), find: () => undefined, hasDigests: false };
  }
  const tables = numbered && createNumberTables(numbered, room, faults);
  const existing = Object.keys(Object(plans) as object);
  const isPlan = new Set<unknown>(existing);

  function termsOf(
    { plan, policies }: Readonly<Record<string, unknown>>,
    at: string,
  ): string | OwnNumbers | undefined {
    if (policies !== undefined) return tables?.of(policies, `${at}.policies`);
    if (isPlan.has(plan)) return plan as string;
    const meant = typeof plan === "string" ? hintAmong(existing, plan, faults) : undefined;
    faults.add(`${at}.plan`, plan, PLAN_OF_OVERRIDE, { meant, known: existing });
    return undefined;
  }

  const exact = new Map<string, CompiledOverride>();
  const byDigest = new Map<string, CompiledOverride>();
  const patterns = new Map<string, CompiledOverride>();
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
    const isOne = (override["plan"] === undefined) !== (override["policies"] === undefined);
    if (!isOne) faults.add(at, Object.keys(override).join(" and "), OVERRIDE);
    const plan = isOne ? termsOf(override, at) : undefined;
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
    (isPattern ? patterns : exact).set(entry.names, entry);
    if (patterns.size > MAX_PATTERNS && isPattern)
      faults.add(at, patterns.size, PATTERNS, MAX_PATTERNS);
  });
  return {
    tables: tables?.all ?? new Map(),
    find: compileFind(exact, byDigest, patterns),
    hasDigests: byDigest.size > 0,
  };
}

/** The name by which the clients of an override are looked up; `undefined` after a fault. */
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

/** An identity or a pattern in the spelling that it is looked up in. */
function spell(identity: unknown): string | undefined {
  if (typeof identity !== "string") return undefined;
  const star = identity.indexOf("*");
  if (star === -1) return HEADER_IDENTITIES.spell(identity);
  if (star !== identity.length - 1) return undefined;
  const names = HEADER_IDENTITIES.spell(identity.slice(0, -1));
  return names === undefined ? undefined : `${names}*`;
}
