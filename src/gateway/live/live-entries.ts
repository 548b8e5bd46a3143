import type { Fault } from "../../options/errors.ts";
import { Faults } from "../../options/faults.ts";
import { parseMoment } from "../../options/moment.ts";
import { isRecord } from "../../options/record.ts";
import type { EntryKind } from "../../store/control/live-state.ts";
import {
  compileRuleset,
  type Ruleset,
  type RulesetData,
  type RulesetDefaults,
} from "../rules/ruleset.ts";

/** An entry as Redis has it. */
interface StoredEntry {
  /** Its field in Redis. */
  readonly field: string;
  readonly kind: EntryKind;
  readonly entry: unknown;
}

/** Every fault in an entry beside the rules and entries that there are, with its path in the entry. */
export function checkEntry(
  kind: EntryKind,
  entry: unknown,
  base: Ruleset,
  entries: Readonly<Record<string, string>>,
  defaults: RulesetDefaults,
): readonly Fault[] {
  const { data } = base;
  const faults = new Faults();
  const last = { field: "", kind, entry };
  const stored = [...storedEntries(entries, () => {}), last];
  const place = placesOf(data, stored).get(last)!;
  compileRuleset(withEntries(data, stored), defaults, faults, base);
  return faults.list.flatMap(({ path, ...fault }) =>
    path === place || path.startsWith(`${place}.`) || path === "CLIENT_IP"
      ? [{ ...fault, path: path.replace(place, "entry").replace(/^entry\./, "") }]
      : [],
  );
}

/** Rules with the entries by single calls, and the fields of those that cannot be used, but for entries that have ended. */
export interface WithEntries {
  readonly ruleset: Ruleset;
  readonly unused: readonly string[];
}

/**
 * Compiles the entries that were made by single calls over compiled rules. An entry that is broken, or that these rules do
 * not allow, is left out alone.
 *
 * @param last the ruleset in force, whose numbers are not compiled again
 */
export function compileEntries(
  base: Ruleset,
  entries: Readonly<Record<string, string>>,
  defaults: RulesetDefaults,
  last: Ruleset,
): WithEntries {
  const nowMs = Date.now();
  const unused: string[] = [];
  const leave = (field: string) => {
    // An entry that has ended has no effect under any rules, and goes with the next write.
    if (!hasEnded(entryOf(entries[field]!), nowMs)) unused.push(field);
  };
  const stored = storedEntries(entries, leave);
  const before = last.settings === base.settings ? last : base;
  const over = (some: readonly StoredEntry[], faults: Faults) =>
    some.length === 0
      ? base
      : compileRuleset(withEntries(base.data, some), defaults, faults, before);
  const tried = new Faults();
  const ruleset = over(stored, tried);
  if (ruleset) return { ruleset, unused };
  const sound = soundAmong(stored, base.data, tried, leave);
  const most = over(sound, new Faults());
  if (most) return { ruleset: most, unused };
  for (const { field } of sound) leave(field);
  return { ruleset: base, unused };
}

function hasEnded(entry: unknown, nowMs: number): boolean {
  const { until } = Object(entry) as { readonly until?: unknown };
  return (parseMoment(until) ?? Infinity) <= nowMs;
}

/** Those of the entries that no fault of the whole is about. */
function soundAmong(
  stored: readonly StoredEntry[],
  data: RulesetData,
  tried: Faults,
  onBroken: (field: string) => void,
): readonly StoredEntry[] {
  const broken = new Set(tried.list.map(({ path }) => /^[A-Z]+(?:\.\w+)?\[\d+\]/.exec(path)?.[0]));
  const places = placesOf(data, stored);
  const hasNoAddress = tried.list.some(({ path }) => path === "CLIENT_IP");
  const isBroken = (each: StoredEntry) =>
    broken.has(places.get(each)) || (hasNoAddress && asksForAddress(each));
  for (const { field } of stored.filter(isBroken)) onBroken(field);
  return stored.filter((each) => !isBroken(each));
}

/** Whether an entry is of a list and names its clients by where requests come from. */
function asksForAddress({ kind, entry }: StoredEntry): boolean {
  if (kind === "override" || !isRecord(entry)) return false;
  return entry["identity"] === undefined && entry["digest"] === undefined;
}

function storedEntries(
  entries: Readonly<Record<string, string>>,
  onBroken: (field: string) => void,
): StoredEntry[] {
  const stored: StoredEntry[] = [];
  for (const [field, text] of Object.entries(entries)) {
    const kind = /^(allow|deny|override):/.exec(field)?.[1] as EntryKind | undefined;
    const entry = entryOf(text);
    if (kind && entry !== undefined) stored.push({ field, kind, entry });
    else onBroken(field);
  }
  return stored;
}

function entryOf(text: string): unknown {
  try {
    const stored: unknown = JSON.parse(text);
    return isRecord(stored) ? stored["entry"] : undefined;
  } catch {
    return undefined;
  }
}

/** The data with entries at the ends of its lists, where they take the place of earlier ones. */
function withEntries(data: RulesetData, stored: readonly StoredEntry[]): RulesetData {
  if (stored.length === 0) return data;
  const of = (kind: EntryKind) =>
    stored.filter((each) => each.kind === kind).map((each) => each.entry);
  const { allow = [], deny = [] } = Object(data.lists) as Record<string, readonly unknown[]>;
  const { overrides = [] } = data as { readonly overrides?: readonly unknown[] };
  const hasLists = stored.some(({ kind }) => kind !== "override");
  return {
    ...data,
    lists: hasLists
      ? { allow: [...allow, ...of("allow")], deny: [...deny, ...of("deny")] }
      : data.lists,
    overrides: [...overrides, ...of("override")],
  };
}

/** The path of each entry among the data. */
function placesOf(
  { lists, overrides }: RulesetData,
  stored: readonly StoredEntry[],
): ReadonlyMap<StoredEntry, string> {
  const { allow = [], deny = [] } = Object(lists) as Record<string, readonly unknown[]>;
  const next = {
    allow: allow.length,
    deny: deny.length,
    override: (overrides as readonly unknown[] | undefined)?.length ?? 0,
  };
  return new Map(
    stored.map((each) => {
      const list = each.kind === "override" ? "OVERRIDES" : `LISTS.${each.kind}`;
      return [each, `${list}[${next[each.kind]++}]`];
    }),
  );
}
