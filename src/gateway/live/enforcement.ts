import type { Fault } from "../../errors/errors.ts";
import type { ReadHistory } from "../../live/read-history.ts";
import type { LiveState } from "../../live/state.ts";
import { Faults } from "../../options/faults.ts";
import type { GatewayConfig } from "../config/config.ts";
import { deployedRules, type Enforcement, enforceWith, type InForce } from "../in-force.ts";
import { NO_DOCUMENT } from "../messages/document.ts";
import type { Ruleset, RulesetData } from "../rules/ruleset.ts";
import { compileDocument, inDocument, parseDocument, readDocument } from "./document.ts";
import { checkEntry, compileWithEntries, dataWithEntries, type EntryKind } from "./entries.ts";

/** Rules with the entries by single calls, and the fields of those that cannot be used. */
interface Compiled {
  readonly ruleset: Ruleset;
  readonly unused: readonly string[];
}

/** The rules that a gateway enforces now, and the ways to change them. */
export interface LiveEnforcement extends Enforcement {
  /** The version that the last state had. */
  published(): number | undefined;
  /** What is in force as data, with the entries by single calls that are sound. */
  held(): RulesetData;
  /**
   * Puts what Redis holds into force. A document that this version cannot compile makes way for the newest of the history
   * that it can, and `error` says why; without one, the rules of before stay in force.
   *
   * @throws StoreError if the history is needed and cannot be read
   */
  adopt(state: LiveState, readHistory: ReadHistory): Promise<void>;
  /** Every fault in a document, with its path. */
  checkDocument(document: unknown): readonly Fault[];
  /** Every fault in an entry under the rules of now, with its path in the entry. */
  checkEntry(kind: EntryKind, entry: unknown): readonly Fault[];
}

/** The most entries that a line of the log names, and the most characters of each: anything may stand in Redis. */
const MAX_NAMED = 10;
const MAX_CHARACTERS = 60;

const LOST =
  "Redis has lost the live rules: isolates that know them still enforce them, and the entries that they knew, beside those put since; new ones enforce the deployed rules. `tidegate rules pull --held` reads what an isolate still holds; publish it again.";

/** @param report called with each fault when it begins, and when it begins again */
export function createEnforcement(
  config: GatewayConfig,
  report: (message: string) => void,
): LiveEnforcement {
  const { deployed, ruleset, defaults } = config;
  const { limiterOf, routesOf } = enforceWith(config);
  let data: RulesetData = deployed;
  let source = sourceOf(deployed, ruleset);
  let entries: LiveState["entries"] = {};
  let error: string | undefined;
  let newest = 0;
  let published: number | undefined;
  /** Of all versions that were published, as far as this isolate has seen. */
  let newestVersion = 0;
  /** The entries when Redis lost the rules; `undefined` while it has them. */
  let beforeLoss: LiveState["entries"] | undefined;
  /** The document that was replaced by the rules in force. */
  let refused: Pick<LiveState, "document"> | undefined;
  let inForce: InForce = deployedRules(config).now();

  /** The entries that are not used under the rules in force. */
  let unused: ReadonlySet<string> = new Set();

  function putInForce(
    { ruleset: next, unused: nextUnused }: Compiled,
    nextData: RulesetData,
    state: LiveState,
  ): void {
    const nextSource = sourceOf(nextData, next);
    // Blocking a client must not make every isolate forget its known denials.
    const limiter = nextSource === source ? inForce.limiter : limiterOf(next);
    data = nextData;
    source = nextSource;
    const { version, revision } = state;
    inForce = {
      version,
      revision,
      ruleset: next,
      limiter,
      ...routesOf(next),
    };
    const begin = nextUnused.filter((field) => !unused.has(field));
    unused = new Set(nextUnused);
    if (begin.length > 0)
      report(`live entries are not used, because they have faults: ${named(begin)}.`);
  }

  function compile(
    rules: RulesetData,
    { entries }: LiveState,
    faults: Faults,
  ): Compiled | undefined {
    const unused: string[] = [];
    const compiled = compileWithEntries(rules, entries, defaults, inDocument(faults), (field) => {
      unused.push(field);
    });
    return compiled && { ruleset: compiled, unused };
  }

  /** Puts the newest kept version into force that compiles. */
  async function fallBack(state: LiveState, why: string, readHistory: ReadHistory): Promise<void> {
    for await (const { version, document } of readHistory()) {
      if (state.revision < newest) return;
      const faults = new Faults();
      const kept = readDocument(document, faults);
      const compiled = kept && faults.list.length === 0 && compile(kept, state, faults);
      if (!compiled) continue;
      putInForce(compiled, kept, { ...state, version });
      error = `${why} Version ${version} is in force, the newest of the history without a fault.`;
      break;
    }
    refused = state;
  }

  /** Puts the entries of a state into force beside the rules of before. */
  function keepRules(state: LiveState): void {
    const same = compile(data, state, new Faults());
    if (same) putInForce(same, data, { ...state, version: inForce.version });
  }

  /**
   * Keeps the rules and entries of before in force. Versions only grow, so a write that has none follows a loss, and its
   * writer knew none of them.
   */
  function keepAfterLoss(state: LiveState): void {
    beforeLoss ??= entries;
    entries = { ...beforeLoss, ...state.entries };
    keepRules({ ...state, entries });
    if (error === LOST) return;
    error = LOST;
    report(LOST);
  }

  return {
    now: () => inForce,
    error: () => error,
    published: () => published,
    held: () => dataWithEntries(data, entries, defaults),

    async adopt(state, readHistory) {
      newest = Math.max(newest, state.revision);
      published = state.version;
      if (state.version === 0 && state.document === undefined && newestVersion > 0) {
        keepAfterLoss(state);
        return;
      }
      newestVersion = Math.max(newestVersion, state.version);
      beforeLoss = undefined;
      entries = state.entries;
      const faults = new Faults();
      const next = publishedIn(state, deployed, faults);
      const compiled = next && faults.list.length === 0 && compile(next, state, faults);
      if (compiled) {
        error = undefined;
        refused = undefined;
        putInForce(compiled, next, state);
        return;
      }
      const [first] = faults.list;
      const why = `version ${state.version} of the live rules has faults (${faults.list.length}), the first at ${first?.path}: ${first?.remedy}`;
      const isKnown = refused !== undefined && refused.document === state.document;
      if (!isKnown) error = `${why} The rules of before stay in force.`;
      // A client that was blocked in an incident stays blocked, even if other rules have faults.
      keepRules(state);
      if (isKnown) return;
      await fallBack(state, why, readHistory);
      if (error !== undefined) report(error);
    },

    checkDocument(document) {
      const faults = new Faults();
      compileDocument(document, defaults, faults);
      return faults.list;
    },

    checkEntry: (kind, entry) => checkEntry(kind, entry, data, entries, defaults),
  };
}

function named(fields: readonly string[]): string {
  const some = fields
    .slice(0, MAX_NAMED)
    .map((field) => JSON.stringify(field.slice(0, MAX_CHARACTERS)));
  const more = fields.length - some.length;
  return some.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The rules that a state says are published; `undefined` after a fault. */
function publishedIn(
  { document, version }: LiveState,
  deployed: RulesetData,
  faults: Faults,
): RulesetData | undefined {
  if (document !== undefined) return dataOf(document, faults);
  if (version === 0) return deployed;
  faults.add("document", "missing", NO_DOCUMENT);
  return undefined;
}

/** Reads the rules in the text of a document; `undefined` after a fault. */
function dataOf(text: string, faults: Faults): RulesetData | undefined {
  const document = parseDocument(text, faults);
  return faults.list.length > 0 ? undefined : readDocument(document, faults);
}

/** What a limiter is made of, as a text: while it stays the same, so does the limiter. */
function sourceOf({ rules, plans }: RulesetData, { overrides }: Ruleset): string {
  return JSON.stringify([rules, plans, overrides.plans]);
}
