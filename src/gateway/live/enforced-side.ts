import type { LiveState } from "../../store/control/live-state.ts";
import { MAX_TABLES } from "../rules/number-tables.ts";
import type { Ruleset, RulesetDefaults } from "../rules/ruleset.ts";
import type { EnforceRules, InForce } from "./in-force.ts";
import { compileEntries } from "./live-entries.ts";

/** The rules for one side of the clients, and the limiter that they go on with while its settings stay. */
export interface EnforcedSide {
  now(): InForce;
  /** Its rules without the entries by single calls. */
  rules(): Ruleset;
  /**
   * Puts rules into force, with the entries of a state.
   *
   * @param beside the other side, whose limiter serves both if they have the same settings
   * @returns the fields of the entries that cannot be used under these rules
   */
  put(next: Ruleset, state: LiveState, beside?: InForce): readonly string[];
}

/** @param first what it begins with */
export function enforcedSide(
  { limiterOf, routesOf }: EnforceRules,
  defaults: RulesetDefaults,
  first: InForce,
): EnforcedSide {
  let inForce = first;
  /** The rules in force without the entries by single calls. */
  let rules = first.ruleset;
  /** The tables of numbers that the limiter has met: it keeps what it knows about the clients of each. */
  let met = new Set<unknown>();

  /** Blocking a client, or giving it other numbers, must not make an isolate forget its known denials. */
  function limiterFor(
    { settings, overrides }: Ruleset,
    beside: InForce | undefined,
  ): InForce["limiter"] | undefined {
    const tables = [...overrides.tables.values()];
    for (const table of tables) met.add(table);
    if (settings === inForce.ruleset.settings && met.size <= MAX_TABLES) return inForce.limiter;
    met = new Set(tables);
    return settings === beside?.ruleset.settings ? beside.limiter : undefined;
  }

  return {
    now: () => inForce,
    rules: () => rules,

    put(next, { entries, version, revision }, beside) {
      const { ruleset, unused } = compileEntries(next, entries, defaults, inForce.ruleset);
      const limiter = limiterFor(ruleset, beside) ?? limiterOf(ruleset);
      rules = next;
      inForce = { version, revision, ruleset, limiter, ...routesOf(ruleset) };
      return unused;
    },
  };
}
