import type { Fault } from "../../options/errors.ts";
import { Faults } from "../../options/faults.ts";
import type { LiveState } from "../../store/control/live-state.ts";
import type { GatewayConfig } from "../config/config.ts";
import { NO_DOCUMENT } from "../rules/document-messages.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import { firstFaults } from "./first-faults.ts";
import { compileDocument, parseDocument } from "./live-document.ts";

/** Compiles the documents of an isolate, each once from its check to its enforcement. */
export interface CompiledDocuments {
  /** The faults in a document, up to a thousand. A sound one is kept, because it is often published next. */
  check(document: unknown): readonly Fault[];
  /** The rules that a state says are published; `undefined` after a fault. */
  published(state: Pick<LiveState, "document" | "version">, faults: Faults): Ruleset | undefined;
  /** The rules of a version that is tried, which are kept until the next one; `undefined` without one, and after a fault. */
  tried(text: string | undefined, faults: Faults): Ruleset | undefined;
  /** The rules of a document that was checked or published lately; compiled anew if it was not, `undefined` after a fault. */
  known(document: unknown): Ruleset | undefined;
  /** The rules of a document of the history; `undefined` after a fault. */
  compile(document: unknown, faults: Faults): Ruleset | undefined;
}

/** A document as it is kept in Redis, with its rules. */
interface Compiled {
  readonly text: string;
  readonly ruleset: Ruleset;
}

export function compiledDocuments({
  ruleset: deployed,
  defaults,
}: Pick<GatewayConfig, "ruleset" | "defaults">): CompiledDocuments {
  let published: Compiled | undefined;
  let checked: Compiled | undefined;
  let tried: Compiled | undefined;

  function find(text: unknown): Ruleset | undefined {
    return [published, tried, checked].find((each) => each?.text === text)?.ruleset;
  }

  function compile(document: unknown, faults: Faults): Ruleset | undefined {
    return compileDocument(document, defaults, faults, published?.ruleset ?? deployed);
  }

  function compileText(text: string, faults: Faults): Ruleset | undefined {
    const document = parseDocument(text, faults);
    return faults.list.length > 0 ? undefined : compile(document, faults);
  }

  return {
    compile,

    known: (document) => find(JSON.stringify(document)) ?? compile(document, new Faults()),

    check(document) {
      const text = JSON.stringify(document);
      if (find(text)) return [];
      const { result: ruleset, faults } = firstFaults((all) => compile(document, all));
      if (ruleset) checked = { text, ruleset };
      return faults;
    },

    tried(text, faults) {
      const ruleset = text === undefined ? undefined : (find(text) ?? compileText(text, faults));
      tried = ruleset && { text: text!, ruleset };
      return ruleset;
    },

    published({ document: text, version }, faults) {
      if (text === undefined) {
        if (version === 0) return deployed;
        faults.add("document", "missing", NO_DOCUMENT);
        return undefined;
      }
      if (published?.text === text) return published.ruleset;
      const ruleset = find(text) ?? compileText(text, faults);
      if (!ruleset) return undefined;
      published = { text, ruleset };
      // Two large documents are enough for an isolate's memory.
      checked = undefined;
      return ruleset;
    },
  };
}
