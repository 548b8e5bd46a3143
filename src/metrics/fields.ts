/*
 * The fields of the hashes in Redis: a letter for the kind of count, codes of one character each, and a name to the end.
 * Names are those of rules and policies, so that a field has no data of a client.
 */

/** The meaning of the first letter of a field. */
export const FIELD = {
  /** Requests: the code of an outcome, and a rule. */
  requests: "r",
  /** Evaluations: the codes of a mode and a result, and a policy. */
  evaluations: "p",
  /** Evaluations by utilization: the code of a bucket, and a policy. */
  utilization: "u",
  /** The sum of utilizations in thousandths: a policy. */
  utilizationSum: "v",
  /** Answers of the store by duration: the code of a bucket. */
  durations: "s",
  /** The sum of durations in microseconds. */
  durationSum: "t",
  /** Failures of the store: the code of an error. */
  storeErrors: "e",
  /** Requests that the origin did not answer: the code of a failure. */
  originFailures: "g",
  commands: "c",
  /** Units that isolates admitted ahead of the store, and that a policy had no room for. */
  excess: "x",
  /** Units that isolates leased for later requests, or admitted ahead of the store: a policy. */
  ahead: "a",
  /** Notices: the codes of a kind and a result, and a policy. */
  notices: "n",
  /** Decisions while a version is tried: the codes of a side and a result. */
  trialDecisions: "d",
  /** Versions that were taken back because of their denials. */
  takenBack: "b",
  /** Counts of a region: the code of a count. */
  region: "h",
  flushes: "f",
  /** Requests whose counts were given up. */
  lost: "l",
  /** Counts that found no room in the hash; the script writes it. */
  overflow: "o",
} as const;

/** The code of a position: a lower-case letter. */
export function codeOf(position: number): string {
  return String.fromCharCode(97 + position);
}

export function positionOf(code: string | undefined): number {
  return code === undefined ? -1 : code.charCodeAt(0) - 97;
}

/** The name under which requests without a rule, and rules beyond the maximum, are counted: no rule can have it. */
export const NO_RULE_LABEL = "none";
export const OTHER_RULES_LABEL = "other";

/** Rules that are told apart. */
export const MAX_RULES = 1_000;

const MAX_LABEL = 120;

/** Controls and halves of characters, which no text of metrics may have. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/gu;

/** A rule by its methods and path. */
export function labelOf(methods: readonly string[], path: string): string {
  const label = `${methods.join(", ")} ${path}`.replace(
    UNREADABLE,
    (character) => `%u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  if (label.length <= MAX_LABEL) return label;
  return `${[...label].slice(0, MAX_LABEL - 1).join("")}…`;
}
