/**
 * Tokens of language models: `import { usage } from "tidegate/llm"`. It reads the usage from responses of OpenAI, Anthropic,
 * Gemini, Bedrock and others, and estimates the usage of a request before it is sent. It limits models of the AI SDK, and the
 * tools of MCP servers.
 *
 * @module
 */

export { type CutOffOptions, usageUpTo } from "./llm/usage-up-to.ts";
export { estimateTokens, type EstimateOptions } from "./llm/estimate-tokens.ts";
export { largestAnswer } from "./llm/largest-answer.ts";
export {
  limitModel,
  type LimitModel,
  type LimitModelOptions,
  type ModelCall,
} from "./llm/limit-model.ts";
export { LimitedCallError } from "./llm/limited-call-error.ts";
export {
  type DeniedTool,
  limitTool,
  type LimitToolOptions,
  type ToolResult,
} from "./llm/limit-tool.ts";
export { limitTools, type LimitToolsOptions } from "./llm/limit-tools.ts";
export { meterSession, type Session, type SessionOptions } from "./llm/meter-session.ts";
export { RequestError } from "./llm/request-error.ts";
export { type BatchUsage, readBatch } from "./llm/read-batch.ts";
export { readUsage } from "./llm/read-usage.ts";
export { settleByUsage as usage, type SettleOptions, type Settles } from "./llm/settle-by-usage.ts";
export type { SessionMessage } from "./llm/session-event.ts";
export type { Usage } from "./llm/usage.ts";
