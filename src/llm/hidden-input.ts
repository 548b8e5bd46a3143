import { isRecord } from "../options/record.ts";

/** The most that Claude gets told of the use of tools, by Anthropic's guide. */
const OF_TOOLS = 600;
const OF_TOOLS_AT_MOST = 804;

/** The most that the definition of a tool of Anthropic's own has, which a request only names. */
const OF_A_NAMED_TOOL = 740;

const NAMED_TOOL = /^(?:bash|code_execution|computer|text_editor)_\d{8}$/;

/** Tokens of the input that a provider adds to a request with tools and bills, which are not in its body. */
export function hiddenTokens(body: unknown): number {
  if (!isRecord(body)) return 0;
  const { model, tools, toolConfig } = body;
  const asked = [tools, isRecord(toolConfig) ? toolConfig["tools"] : undefined].flat();
  const ofClaude = asked.filter(isRecord).filter(isOfClaude);
  if (ofClaude.length === 0) return 0;
  const named = ofClaude.filter(({ type }) => NAMED_TOOL.test(String(type)));
  const told = String(model).includes("opus-4-7") ? OF_TOOLS_AT_MOST : OF_TOOLS;
  return told + named.length * OF_A_NAMED_TOOL;
}

/** Whether a tool is in the form of Anthropic or of Bedrock, or is named with the day of its version. */
function isOfClaude({ type, input_schema, toolSpec }: Readonly<Record<string, unknown>>): boolean {
  return input_schema !== undefined || toolSpec !== undefined || /_\d{8}$/.test(String(type));
}
