/** The prices of a model in micro-dollars per token, which are dollars per million tokens. */
export interface ModelPrices {
  /** Input without a price of its own. */
  readonly input: number;
  /** The answer, with its reasoning. */
  readonly output: number;
  /** Input that was read from a cache. Default: `input`. */
  readonly cached?: number;
  /** Input that was written to a cache. Default: `input`. */
  readonly cacheWrite?: number;
  /** Input that was written to a cache for an hour. Default: `cacheWrite`. */
  readonly cacheWriteHour?: number;
  /** Input that is audio. Default: `input`. */
  readonly audioInput?: number;
  /** The part of the answer that is audio. Default: `output`. */
  readonly audioOutput?: number;
  /** A search, in micro-dollars. Default: none, so that a usage with searches has no known price. */
  readonly search?: number;
  /** A container in which code runs, in micro-dollars. Default: none, so that a usage with containers has no known price. */
  readonly container?: number;
  /** The factors of a request with more tokens of input than this; that of `input` is for caches and audio, too. Default: none. */
  readonly above?: { readonly tokens: number; readonly input: number; readonly output: number };
  /** The day from which prices change that are known before, and the factors of all of them but `search` and `container`. Default: none. */
  readonly later?: { readonly from: string; readonly factor: number };
  /** The factors of the words by which a response says how it was served, such as `{ flex: 0.5 }`. Default: none. */
  readonly tiers?: Readonly<Record<string, number>>;
}

/** The prices of models, as JSON can hold them. */
export interface PriceTable {
  /** The day on which the prices were looked up, such as `"2026-11-05"`. */
  readonly date: string;
  /** By the names under which providers know the models. One without a date is for its dated versions, too. */
  readonly models: Readonly<Record<string, ModelPrices>>;
}

const OPENAI_SEARCH = 10_000;
/** That of a gigabyte, for a session of 20 minutes. Larger ones, and longer sessions, cost more, which no response tells. */
const OPENAI_CONTAINER = 30_000;
const FLEX = { flex: 0.5 };
const FLEX_OR_PRIORITY = { flex: 0.5, priority: 2 };
const LONG_GPT = { tokens: 272_000, input: 2, output: 1.5 };
const LONG_CLAUDE = { tokens: 200_000, input: 2, output: 1.5 };
const LONG_GEMINI = { tokens: 200_000, input: 2, output: 1.5 };
const IN_THE_US = { us: 1.1 };

/** The prices of models of one family, whose tiers have the same ratios. */
const gpt = (input: number, output: number, more: Partial<ModelPrices> = {}): ModelPrices => ({
  input,
  output,
  search: OPENAI_SEARCH,
  container: OPENAI_CONTAINER,
  ...more,
});

/** Writing to a cache costs a quarter more, and for an hour twice as much. */
const claude = (
  input: number,
  output: number,
  cached: number,
  more: Partial<ModelPrices> = {},
): ModelPrices => ({
  input,
  output,
  cached,
  cacheWrite: input * 1.25,
  cacheWriteHour: input * 2,
  search: 10_000,
  ...more,
});

const GEMINI_3 = { search: 14_000 };
const GEMINI_2 = { search: 35_000, tiers: { flex: 0.5, priority: 1.8 } };

/**
 * The list prices of models of OpenAI, Anthropic and Google at their own APIs, for which a usage can be priced. Replace them, or add
 * yours: discounts, resellers and other clouds have prices of their own.
 */
export const PRICES: PriceTable = {
  date: "2026-11-05",
  models: {
    "gpt-5.6": gpt(5, 30, { cached: 0.5, cacheWrite: 6.25, above: LONG_GPT }),
    "gpt-5.6-sol": gpt(5, 30, { cached: 0.5, cacheWrite: 6.25, above: LONG_GPT }),
    "gpt-5.6-terra": gpt(2.5, 15, { cached: 0.25, cacheWrite: 3.125, above: LONG_GPT }),
    "gpt-5.6-luna": gpt(1, 6, { cached: 0.1, cacheWrite: 1.25, above: LONG_GPT }),
    "gpt-5.5": gpt(5, 30, { cached: 0.5, above: LONG_GPT, tiers: { flex: 0.5, priority: 2.5 } }),
    "gpt-5.5-pro": gpt(30, 180),
    "gpt-5.4": gpt(2.5, 15, { cached: 0.25, above: LONG_GPT, tiers: FLEX_OR_PRIORITY }),
    "gpt-5.4-mini": gpt(0.75, 4.5, { cached: 0.075, tiers: FLEX_OR_PRIORITY }),
    "gpt-5.4-nano": gpt(0.2, 1.25, { cached: 0.02, tiers: FLEX }),
    "gpt-5.2": gpt(1.75, 14, { cached: 0.175, tiers: FLEX_OR_PRIORITY }),
    "gpt-5.1": gpt(1.25, 10, { cached: 0.125, tiers: FLEX_OR_PRIORITY }),
    "gpt-5": gpt(1.25, 10, { cached: 0.125, tiers: FLEX_OR_PRIORITY }),
    "gpt-5-mini": gpt(0.25, 2, { cached: 0.025, tiers: { flex: 0.5, priority: 1.8 } }),
    "gpt-5-nano": gpt(0.05, 0.4, { cached: 0.005, tiers: FLEX }),
    "gpt-4.1": gpt(2, 8, { cached: 0.5, search: 25_000 }),
    "gpt-4.1-mini": gpt(0.4, 1.6, { cached: 0.1, search: 25_000 }),
    "gpt-4.1-nano": gpt(0.1, 0.4, { cached: 0.025 }),
    "gpt-4o": gpt(2.5, 10, { cached: 1.25, search: 25_000 }),
    "gpt-4o-2024-05-13": gpt(5, 15),
    "gpt-4o-mini": gpt(0.15, 0.6, { cached: 0.075, search: 25_000 }),
    o3: gpt(2, 8, { cached: 0.5, tiers: FLEX }),
    "o4-mini": gpt(1.1, 4.4, { cached: 0.275, tiers: FLEX }),
    "text-embedding-3-small": { input: 0.02, output: 0 },
    "text-embedding-3-large": { input: 0.13, output: 0 },

    "claude-fable-5-1": claude(10, 50, 0.25, { tiers: IN_THE_US }),
    "claude-fable-5": claude(10, 50, 1, { tiers: IN_THE_US }),
    "claude-opus-5-5": claude(4, 20, 0.2, { tiers: IN_THE_US }),
    "claude-opus-5": claude(5, 25, 0.5, { tiers: IN_THE_US }),
    "claude-opus-4-8": claude(5, 25, 0.5, { tiers: IN_THE_US }),
    "claude-opus-4-7": claude(5, 25, 0.5, { tiers: IN_THE_US }),
    "claude-opus-4-6": claude(5, 25, 0.5, { tiers: { ...IN_THE_US, fast: 6 } }),
    "claude-opus-4-5": claude(5, 25, 0.5),
    "claude-opus-4-1": claude(15, 75, 1.5),
    "claude-opus-4": claude(15, 75, 1.5),
    "claude-sonnet-5-5": claude(2, 10, 0.1, { tiers: IN_THE_US }),
    "claude-sonnet-5": claude(2, 10, 0.2, { tiers: IN_THE_US }),
    "claude-sonnet-4-6": claude(3, 15, 0.3, { tiers: IN_THE_US }),
    "claude-sonnet-4-5": claude(3, 15, 0.3, { above: LONG_CLAUDE }),
    "claude-sonnet-4": claude(3, 15, 0.3, { above: LONG_CLAUDE }),
    "claude-haiku-5-5": claude(0.1, 0.5, 0.01, {
      above: { tokens: 100_000, input: 5, output: 5 },
      tiers: IN_THE_US,
    }),
    "claude-haiku-4-5": claude(1, 5, 0.1),

    "gemini-3.8-flash": {
      input: 0.75,
      output: 3.75,
      later: { from: "2027-01-01", factor: 2 },
      ...GEMINI_3,
    },
    "gemini-3.5-flash": { input: 1.5, output: 9, ...GEMINI_3 },
    "gemini-3.5-flash-lite": { input: 0.3, output: 2.5, ...GEMINI_3 },
    "gemini-3.1-pro-preview": {
      input: 2,
      output: 12,
      cached: 0.2,
      above: LONG_GEMINI,
      ...GEMINI_3,
    },
    "gemini-3.1-flash-lite": {
      input: 0.25,
      output: 1.5,
      cached: 0.025,
      audioInput: 0.5,
      ...GEMINI_3,
    },
    "gemini-3-flash-preview": { input: 0.5, output: 3, cached: 0.05, audioInput: 1, ...GEMINI_3 },
    "gemini-2.5-pro": { input: 1.25, output: 10, cached: 0.125, above: LONG_GEMINI, ...GEMINI_2 },
    "gemini-2.5-flash": { input: 0.3, output: 2.5, cached: 0.03, audioInput: 1, ...GEMINI_2 },
    "gemini-2.5-flash-lite": {
      input: 0.1,
      output: 0.4,
      cached: 0.01,
      audioInput: 0.3,
      ...GEMINI_2,
    },
  },
};
