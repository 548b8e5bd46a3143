/** How many tokens a response took, as its provider says. */
export interface Usage {
  /** Tokens of the whole input, those read from a cache and written to one included. */
  readonly inputTokens: number;
  /** Tokens of the answer, those of its reasoning included, and those that the provider counts in its total alone. */
  readonly outputTokens: number;
  /** Input and output. */
  readonly totalTokens: number;
  /** The part of the input that was read from a cache. Absent if the provider does not say it. */
  readonly cachedTokens?: number;
  /** The part of the input that was written to a cache. Absent if the provider does not say it. */
  readonly cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` that was written for an hour. Absent if it is 0, or the provider does not say it. */
  readonly cacheWriteHourTokens?: number;
  /** The part of the input that is audio. Absent if it is 0, or the provider does not say it. */
  readonly audioInputTokens?: number;
  /** The part of the answer that is audio. Absent if it is 0, or the provider does not say it. */
  readonly audioOutputTokens?: number;
  /**
   * The searches that the provider ran for the answer, of the web, of maps or of files, and other tools that have a price for each
   * call. Absent if there were none, or the provider does not say it.
   */
  readonly searches?: number;
  /** The containers in which the provider ran code for the answer. Absent if there were none, or the provider does not say it. */
  readonly containers?: number;
  /**
   * The price of the whole answer that the provider itself tells, in millionths of a dollar, rounded up: OpenRouter, Perplexity and
   * xAI do. Absent if it tells none.
   */
  readonly costMicroDollars?: number;
  /** The models that the response names, as its provider calls them. Absent if it names none. */
  readonly models?: readonly string[];
  /** The words by which the response says how it was served, such as `"priority"`. Absent if it says none. */
  readonly tiers?: readonly string[];
  /**
   * Whether these are all tokens. `false` if a stream broke off before its last numbers, or a number is missing, unreadable,
   * smaller than before, more than the whole, or has an unknown name: the answer may have taken more than is known.
   */
  readonly complete: boolean;
}
