import { ANTHROPIC } from "./anthropic.ts";
import { BEDROCK } from "./bedrock.ts";
import { GOOGLE } from "./google.ts";
import { OPENAI } from "./openai.ts";
import { OTHERS } from "./others.ts";
import type { Shape } from "./shape.ts";
import { TOOLS } from "./tools.ts";

export { ANTHROPIC_START, ANTHROPIC_STREAM } from "./anthropic.ts";
export { GEMINI_CHUNKS, GEMINI_STREAM } from "./google.ts";
export { CHAT, CHAT_STREAM } from "./openai.ts";
export type { Shape } from "./shape.ts";

/** Responses of providers, each with its bill. */
export const SHAPES: readonly Shape[] = [
  ...OPENAI,
  ...ANTHROPIC,
  ...GOOGLE,
  ...BEDROCK,
  ...OTHERS,
  ...TOOLS,
];
