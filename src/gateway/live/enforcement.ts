import type { Fault } from "../../options/errors.ts";
import { Faults } from "../../options/faults.ts";
import type { ReadHistory } from "../../store/control/control-store.ts";
import type { EntryKind, LiveState } from "../../store/control/live-state.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Ruleset, RulesetData } from "../rules/ruleset.ts";
import { compiledDocuments } from "./compiled-documents.ts";
import { enforcedSide } from "./enforced-side.ts";
import { deployedRules, type Enforcement, enforceWith, type InForce } from "./in-force.ts";
import { checkEntry, compileEntries } from "./live-entries.ts";
import { renamedPolicies } from "./renamed-policies.ts";
import { compileSides, newTally, type Tally } from "./sides.ts";

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
  /** The paths of the unnamed policies whose counts begin anew where a sound document follows another. */
  renamedBy(before: unknown, after: unknown): readonly string[];
  /** Whether the rules of now leave an entry by a single call out of force, by its field in Redis. */
  isLeftOut(field: string): boolean;
  /** The decisions under both versions of a trial since the last time; `undefined` if there were none. */
  takeTally(): Tally | undefined;
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
  const enforce = enforceWith(config);
  const documents = compiledDocuments(config);
  /** The side of the clients that have the published version: all of them, unless another one is tried. */
  let main = enforcedSide(enforce, defaults, deployedRules(config).now());
  let some: typeof main | undefined;
  let tally = newTally(0);
  let entries: LiveState["entries"] = {};
  let error: string | undefined;
  let newest = 0;
  let published: number | undefined;
  /** The published document that does not compile here: the rules in force stand in its place. */
  let refused: Pick<LiveState, "document"> | undefined;
  let inForce: InForce = main.now();

  /** The entries that are not used under the rules in force. */
  let unused: ReadonlySet<string> = new Set();

  /** Puts rules into force for all clients. */
  function putInForce(next: Ruleset, state: LiveState): void {
    // The isolate goes on with the limiter of the version that was tried.
    if (some?.rules() === next && state.trial === undefined) main = some;
    const nextUnused = main.put(next, state);
    inForce = main.now();
    const begin = nextUnused.filter((field) => !unused.has(field));
    unused = new Set(nextUnused);
    if (begin.length > 0)
      report(`live entries are not used, because they have faults: ${named(begin)}.`);
  }

  /** Puts another version into force for a part of the clients. */
  function putTrial(state: LiveState): void {
    const { trial } = state;
    const faults = new Faults();
    const next = documents.tried(trial?.document, faults);
    if (!trial || !next) some = undefined;
    if (!trial) return;
    if (!next) {
      const [first] = faults.list;
      error = `version ${trial.version} of the live rules, which is tried on ${trial.percent} percent of the clients, has faults (${faults.list.length}), the first at ${first?.path}: ${first?.remedy} All clients have version ${state.version}.`;
      return;
    }
    some ??= enforcedSide(enforce, defaults, main.now());
    some.put(next, { ...state, version: trial.version }, main.now());
    if (tally.version !== trial.version) tally = newTally(trial.version);
    inForce = { ...main.now(), sides: compileSides(main.now(), some.now(), trial, tally) };
  }

  /** Puts the newest kept version into force that compiles. */
  async function fallBack(state: LiveState, why: string, readHistory: ReadHistory): Promise<void> {
    for await (const { version, document } of readHistory()) {
      if (state.revision < newest) return;
      // A newer one is tried on a part of the clients.
      if (version > state.version) continue;
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
    putInForce(main.rules(), { ...state, version: inForce.version });
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
        const before = error;
        error = undefined;
        refused = undefined;
        putInForce(next, state);
        putTrial(state);
        if (error !== undefined && error !== before) report(error);
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

    renamedBy(before, after) {
      const [old, next] = [documents.known(before), documents.known(after)];
      return old && next ? renamedPolicies(old, next) : [];
    },

    isLeftOut: (field) => unused.has(field),

    takeTally() {
      const taken = structuredClone(tally);
      if (taken.tried.decided + taken.others.decided === 0) return undefined;
      // The rules in force go on counting in it.
      Object.assign(tally.tried, { decided: 0, denied: 0 });
      Object.assign(tally.others, { decided: 0, denied: 0 });
      return taken;
    },

    checkEntry: (kind, entry) => checkEntry(kind, entry, main.rules(), entries, defaults),
  };
}

function named(fields: readonly string[]): string {
  const some = fields
    .slice(0, MAX_NAMED)
    .map((field) => JSON.stringify(field.slice(0, MAX_CHARACTERS)));
  const more = fields.length - some.length;
  return some.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
