/** How many tokens a response took, as its provider says. */
export interface Usage {
  /** Tokens of the whole input, those read from a cache and written to one included. */
  readonly inputTokens: number;
  /** Tokens of the answer, those of its reasoning included. */
  readonly outputTokens: number;
  /** The provider's total; otherwise input and output. */
  readonly totalTokens: number;
  /** The part of the input that was read from a cache. Absent if the provider does not say it. */
  readonly cachedTokens?: number;
  /** The part of the input that was written to a cache. Absent if the provider does not say it. */
  readonly cacheWriteTokens?: number;
  /** Whether these are the last numbers. If a stream broke off before them, `outputTokens` is too low. */
  readonly complete: boolean;
}

/** The names of numbers in a provider's `usage`. Those of its details are unique, too. */
const TOKENS = [
  "prompt_tokens",
  "completion_tokens",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
] as const;

const DETAILS = ["cached_tokens", "cache_write_tokens"] as const;

/** Numbers of one `usage`, by the provider's names. */
export type TokenCounts = { [name in (typeof TOKENS)[number] | (typeof DETAILS)[number]]?: number };

/** The members to read of an object in a body: objects to look into, and numbers (`null`). All others are skipped. */
export type FieldTree = ReadonlyMap<string, FieldTree | null>;

const details: FieldTree = new Map(DETAILS.map((name) => [name, null]));
const usage = (): FieldTree =>
  new Map([
    ...TOKENS.map((name) => [name, null] as const),
    ["prompt_tokens_details", details],
    ["input_tokens_details", details],
  ]);

/** The numbers of a whole body, or the latest of a stream. */
export const USAGE = usage();

/** Those in `message_start` of Anthropic's streams: the input, and the first tokens of the answer. */
export const FIRST_USAGE = usage();

/**
 * The places of the providers' numbers: `usage` in a body, in OpenAI's last chunk and in Anthropic's `message_delta`;
 * `response.usage` in the events of OpenAI's Responses API; `message.usage` in Anthropic's `message_start`.
 */
export const DOCUMENT: FieldTree = new Map([
  ["usage", USAGE],
  ["response", new Map([["usage", USAGE]])],
  ["message", new Map([["usage", FIRST_USAGE]])],
]);

/** The usage that a response has told so far. */
export interface TokenTally {
  /** Adds the numbers of one `usage`. A stream repeats them as they grow, so the latest of a name counts. */
  add(counts: TokenCounts, isFirst: boolean): void;
  /** `undefined` while no number is known. */
  usage(): Usage | undefined;
}

export function createTokenTally(): TokenTally {
  let known: TokenCounts = {};
  let complete = false;

  return {
    add(counts, isFirst) {
      if (Object.keys(counts).length === 0) return;
      const { total_tokens: _earlier, ...others } = known;
      // An earlier total does not fit later numbers.
      known = { ...others, ...counts };
      complete ||= !isFirst;
    },

    usage() {
      const input = known.prompt_tokens ?? inputTokens(known);
      const output = known.completion_tokens ?? known.output_tokens;
      const total = known.total_tokens;
      if (input === undefined && output === undefined && total === undefined) return undefined;
      const cached = known.cached_tokens ?? known.cache_read_input_tokens;
      const written = known.cache_write_tokens ?? known.cache_creation_input_tokens;
      return {
        inputTokens: input ?? 0,
        outputTokens: output ?? 0,
        totalTokens: total ?? (input ?? 0) + (output ?? 0),
        ...(cached !== undefined && { cachedTokens: cached }),
        ...(written !== undefined && { cacheWriteTokens: written }),
        complete,
      };
    },
  };
}

/** Anthropic, which tells no total, counts cached tokens beside `input_tokens`; OpenAI counts them in. */
function inputTokens(known: TokenCounts): number | undefined {
  if (known.input_tokens === undefined || known.total_tokens !== undefined)
    return known.input_tokens;
  const { cache_creation_input_tokens: written = 0, cache_read_input_tokens: read = 0 } = known;
  return known.input_tokens + written + read;
}
