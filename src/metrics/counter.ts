import type { Decision } from "../decide/decision.ts";
import { countDecision } from "./count-decision.ts";
import {
  BAD_PATH,
  BLOCKED,
  FAILED,
  NO_IDENTITY,
  NO_RULE,
  NOT_FOUND,
  ORIGIN_FAILURES,
  PREFLIGHT,
} from "./outcomes.ts";
import type { Sketches } from "./sketch.ts";
import { type CountedRule, createTally, type Tally } from "./tally.ts";

/** Counts the outcomes of requests under one set of rules, each exactly once. */
export interface Counter {
  /** No rule covers it. */
  passed(): void;
  /** A browser asked for permission. */
  preflight(): void;
  /** It was answered before any rule was asked. */
  answered(response: Response): void;
  /** The sender is unknown. */
  refused(rules: readonly CountedRule[]): void;
  /**
   * @param identities by dimension, where they were asked for
   * @param headers of the request, for the last characters of its key
   */
  decided(
    rules: readonly CountedRule[],
    decision: Decision,
    identities?: Readonly<Record<string, string>>,
    headers?: Headers,
  ): void;
  failed(): void;
  /** The origin gave no answer. */
  unanswered(failure: (typeof ORIGIN_FAILURES)[number]): void;
}

/** The outcome of an answer before any rule, by its status. */
const ANSWERED = new Map([
  [400, BAD_PATH],
  [403, BLOCKED],
  [404, NOT_FOUND],
]);

/**
 * Returns the counter of a set of rules; the one that was asked for last is found without a search.
 *
 * @param onFirst called with each tally that has something to write
 */
export function counters(
  sketches: Sketches,
  onFirst: (tally: Tally) => void,
): (rules: readonly CountedRule[]) => Counter {
  const known = new WeakMap<readonly CountedRule[], Counter>();
  let latest: readonly CountedRule[] | undefined;
  let counter: Counter;

  return function counterOf(rules) {
    if (rules === latest) return counter;
    latest = rules;
    counter = known.get(rules) ?? counterFor(rules, sketches, onFirst);
    known.set(rules, counter);
    return counter;
  };
}

function counterFor(
  rules: readonly CountedRule[],
  sketches: Sketches,
  onFirst: (tally: Tally) => void,
): Counter {
  const tally = createTally(rules, () => onFirst(tally));
  return {
    passed: () => tally.request(NO_RULE, undefined),
    preflight: () => tally.request(PREFLIGHT, undefined),
    answered: ({ status }) => tally.request(ANSWERED.get(status) ?? FAILED, undefined),
    refused: ([rule]) => tally.request(NO_IDENTITY, rule),
    decided: ([rule], decision, identities, headers) =>
      countDecision(sketches, tally, decision, rule, identities, headers),
    failed: () => tally.request(FAILED, undefined),
    unanswered: (failure) => tally.unanswered(ORIGIN_FAILURES.indexOf(failure)),
  };
}
