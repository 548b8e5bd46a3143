/**
 * Tokens of language models: `import { usage } from "tidegate/llm"`. It reads what OpenAI's and Anthropic's responses
 * tell of their usage, and estimates a request's before it is sent.
 *
 * @module
 */

export { estimateTokens, type EstimateOptions } from "./llm/estimate-tokens.ts";
export { readUsage } from "./llm/read-usage.ts";
export { settleByUsage as usage, type SettleOptions, type Settles } from "./llm/settle-by-usage.ts";
export type { Usage } from "./llm/usage.ts";
