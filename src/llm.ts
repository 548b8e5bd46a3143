/**
 * Tokens of language models: `import { usage } from "tidegate/llm"`. It reads the usage from responses of OpenAI, Anthropic,
 * Gemini, Bedrock and others, and estimates the usage of a request before it is sent. It limits models of the AI SDK, and the
 * tools of MCP servers.
 *
 * @module
 */

export { estimateTokens, type EstimateOptions } from "./llm/estimate-tokens.ts";
export { largestAnswer } from "./llm/largest-answer.ts";
export {
  limitModel,
  type LimitModel,
  type LimitModelOptions,
  type ModelCall,
} from "./llm/limit-model.ts";
export { LimitedCallError } from "./llm/limited-call-error.ts";
export { limitTools, type LimitToolsOptions } from "./llm/limit-tools.ts";
export { RequestError } from "./llm/request-error.ts";
export { readUsage } from "./llm/read-usage.ts";
export { settleByUsage as usage, type SettleOptions, type Settles } from "./llm/settle-by-usage.ts";
export type { Usage } from "./llm/usage.ts";
