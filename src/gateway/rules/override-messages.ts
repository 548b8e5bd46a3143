import { didYouMean, namesIn } from "../../options/messages.ts";

/* The sentences of faults in overrides. */

export const OVERRIDES = {
  code: "too-many",
  say: (max: number) => `Give a list of at most ${max} overrides.`,
} as const;

export const OVERRIDE = {
  code: "shape",
  say: 'Give an identity, and either a plan or policies with the numbers that differ: { "identity": "x-user-id:42", "plan": "gold" }.',
} as const;

export const IDENTITY_OR_DIGEST = {
  code: "conflict",
  say: "Give an identity or a digest, not both.",
} as const;

export const PATTERNS = {
  code: "too-many",
  say: (max: number) => `Give at most ${max} patterns; a rule's \`plan\` reads one from a header.`,
} as const;

export const PATTERN = {
  code: "shape",
  say: 'Write one header\'s name and its value, such as "x-user-id:42". A "*" may end the value, after at least one character. For an address, give its name of GET /top as a digest.',
} as const;

export const DIGEST = {
  code: "shape",
  say: 'Give a client\'s name as GET /top has it: a source and a digest, such as "x-api-key:" and 43 characters.',
} as const;

export const PLAN_OF_OVERRIDE = {
  code: "unknown-name",
  say: ({ meant, known }: { meant: string | undefined; known: readonly string[] }) =>
    `${didYouMean(meant)}${known.length > 0 ? `Use one of the plans: ${namesIn(known)}` : "Add it to the plans"}, or give policies with the numbers that differ.`,
} as const;

export const TABLES = {
  code: "too-many",
  say: (max: number) => `Use plans: there are more than ${max} different tables of numbers.`,
} as const;
