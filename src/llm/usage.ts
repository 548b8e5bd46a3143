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
  /**
   * Whether these are all tokens. `false` if a stream broke off before its last numbers, or a number is missing, unreadable,
   * smaller than before, more than the whole, or has an unknown name: the answer may have taken more than is known.
   */
  readonly complete: boolean;
}
