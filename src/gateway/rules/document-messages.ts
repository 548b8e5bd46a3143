/* The sentences of faults that only documents, and questions about the rules in force, have. */

export const WHOLE = {
  code: "shape",
  say: 'Give a document: { "rules": [...], "plans", "overrides", "lists" }.',
} as const;

export const RULES = {
  code: "shape",
  say: (max: number) => `Give a list of 1 to ${max} rules.`,
} as const;

export const VERSION = {
  code: "shape",
  say: "Give the number of the version that this is based on, from 0, or leave it out.",
} as const;

export const NEWER = {
  code: "unsupported",
  say: (schema: string) =>
    `Publish it with a newer Tidegate: this one knows documents of "${schema}".`,
} as const;

export const ENTRIES = {
  code: "too-many",
  say: (max: number) => `Give at most ${max} entries.`,
} as const;

export const OVERRIDES = {
  code: "too-many",
  say: (max: number) => `Give at most ${max} overrides.`,
} as const;

export const LISTS_IN_RULE = {
  code: "too-many",
  say: (max: number) => `Give lists of at most ${max} in a rule.`,
} as const;

export const MANY_PLANS = {
  code: "too-many",
  say: (max: number) => `Give at most ${max} plans for so many policies.`,
} as const;

export const BYTES = {
  code: "too-many",
  say: (max: number) => `Publish at most ${max} bytes of JSON.`,
} as const;

export const NO_DOCUMENT = {
  code: "missing",
  say: "Publish the rules again: a version without a document is in Redis.",
} as const;

/** `place`: where the text stops being JSON, such as `at position 12`. */
export const NO_JSON = {
  code: "no-json",
  say: (place: string) => `${`Publish the rules again: it is no JSON ${place}`.trim()}.`,
} as const;

// Questions about the rules in force.

export const POLICY_IN_FORCE = {
  code: "unknown-name",
  say: "Give the name of a policy in force.",
} as const;

export const UNKNOWN_DIGEST = {
  code: "unsupported",
  say: "Describe a request instead: this digest cannot be looked up.",
} as const;

// A request that is described.

export const PATH = {
  code: "shape",
  say: 'Give the path and query of a request, such as "/rides?page=2".',
} as const;

export const METHOD = { code: "shape", say: 'Give a method in capitals, such as "POST".' } as const;

export const HEADERS = { code: "shape", say: "Give names and values that HTTP allows." } as const;
