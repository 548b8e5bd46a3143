import type { Fault } from "../../options/errors.ts";
import { Faults } from "../../options/faults.ts";
import type { ReadHistory } from "../../store/control/control-store.ts";
import type { EntryKind, LiveState } from "../../store/control/live-state.ts";
import type { GatewayConfig } from "../config/config.ts";
import { MAX_TABLES } from "../rules/number-tables.ts";
import type { Ruleset, RulesetData } from "../rules/ruleset.ts";
import { compiledDocuments } from "./compiled-documents.ts";
import { deployedRules, type Enforcement, enforceWith, type InForce } from "./in-force.ts";
import { checkEntry, compileEntries } from "./live-entries.ts";

/** The rules that a gateway enforces now, and the ways to change them. */
export interface LiveEnforcement extends Enforcement {
  /** The version that the last state had. */
  published(): number | undefined;
  /** The data in force, with the entries by single calls that are sound. */
  held(): RulesetData;
  /**
   * Puts what the control store holds into force. A document that this version cannot compile makes way for the newest of the history
   * that it can, and `error` says why; without one, the rules of before stay in force.
   *
   * @throws StoreError if the history is needed and cannot be read
   */
  adopt(state: LiveState, readHistory: ReadHistory): Promise<void>;
  /** Every fault in a document, with its path. */
  checkDocument(document: unknown): readonly Fault[];
  /** How many entries by single calls the rules of a sound document would leave out of force. */
  leftOutBy(document: unknown): number;
  /** Whether the rules of now leave an entry by a single call out of force, by its field in Redis. */
  isLeftOut(field: string): boolean;
  /** Every fault in an entry under the rules of now, with its path in the entry. */
  checkEntry(kind: EntryKind, entry: unknown): readonly Fault[];
}

/** The most entries that a line of the log names, and the most characters of each: anything may stand in Redis. */
const MAX_NAMED = 10;
const MAX_CHARACTERS = 60;

/** @param report called with each fault when it begins, and when it begins again */
export function createEnforcement(
  config: GatewayConfig,
  report: (message: string) => void,
): LiveEnforcement {
  const { defaults } = config;
  const { limiterOf, routesOf } = enforceWith(config);
  const documents = compiledDocuments(config);
  /** The rules in force without the entries by single calls. */
  let base = config.ruleset;
  let entries: LiveState["entries"] = {};
  let error: string | undefined;
  let newest = 0;
  let published: number | undefined;
  /** The published document that does not compile here: the rules in force stand in its place. */
  let refused: Pick<LiveState, "document"> | undefined;
  let inForce: InForce = deployedRules(config).now();
  /** The tables of numbers that the limiter has met: it keeps what it knows about the clients of each. */
  let met = new Set<unknown>();

  /** The entries that are not used under the rules in force. */
  let unused: ReadonlySet<string> = new Set();

  /** Blocking a client, or giving it other numbers, must not make an isolate forget its known denials. */
  function limiterFor({ settings, overrides }: Ruleset): InForce["limiter"] | undefined {
    const tables = [...overrides.tables.values()];
    for (const table of tables) met.add(table);
    if (settings === inForce.ruleset.settings && met.size <= MAX_TABLES) return inForce.limiter;
    met = new Set(tables);
    return undefined;
  }

  function putInForce(next: Ruleset, state: LiveState): void {
    const { ruleset, unused: nextUnused } = compileEntries(
      next,
      state.entries,
      defaults,
      inForce.ruleset,
    );
    const { version, revision } = state;
    const limiter = limiterFor(ruleset) ?? limiterOf(ruleset);
    base = next;
    inForce = { version, revision, ruleset, limiter, ...routesOf(ruleset) };
    const begin = nextUnused.filter((field) => !unused.has(field));
    unused = new Set(nextUnused);
    if (begin.length > 0)
      report(`live entries are not used, because they have faults: ${named(begin)}.`);
  }

  /** Puts the newest kept version into force that compiles. */
  async function fallBack(state: LiveState, why: string, readHistory: ReadHistory): Promise<void> {
    for await (const { version, document } of readHistory()) {
      if (state.revision < newest) return;
      const kept = documents.compile(document, new Faults());
      if (!kept) continue;
      putInForce(kept, { ...state, version });
      error = `${why} Version ${version} is in force, the newest of the history without a fault.`;
      break;
    }
    refused = state;
  }

  /** Puts the entries of a state into force beside the rules of before. */
  function keepRules(state: LiveState): void {
    putInForce(base, { ...state, version: inForce.version });
  }

  return {
    now: () => inForce,
    error: () => error,
    published: () => published,
    held: () => inForce.ruleset.data,

    async adopt(state, readHistory) {
      newest = Math.max(newest, state.revision);
      published = state.version;
      entries = state.entries;
      const isKnown = refused !== undefined && refused.document === state.document;
      if (state.version > 0 && isKnown) {
        keepRules(state);
        return;
      }
      const faults = new Faults();
      const next = documents.published(state, faults);
      if (next) {
        error = undefined;
        refused = undefined;
        putInForce(next, state);
        return;
      }
      const [first] = faults.list;
      const why = `version ${state.version} of the live rules has faults (${faults.list.length}), the first at ${first?.path}: ${first?.remedy}`;
      error = `${why} The rules of before stay in force.`;
      // A client that was blocked in an incident stays blocked, even if other rules have faults.
      keepRules(state);
      await fallBack(state, why, readHistory);
      if (error !== undefined) report(error);
    },

    checkDocument: documents.check,

    leftOutBy(document) {
      const ruleset = documents.known(document);
      return ruleset
        ? compileEntries(ruleset, entries, defaults, inForce.ruleset).unused.length
        : 0;
    },

    isLeftOut: (field) => unused.has(field),

    checkEntry: (kind, entry) => checkEntry(kind, entry, base, entries, defaults),
  };
}

function named(fields: readonly string[]): string {
  const some = fields
    .slice(0, MAX_NAMED)
    .map((field) => JSON.stringify(field.slice(0, MAX_CHARACTERS)));
  const more = fields.length - some.length;
  return some.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
