import { isRecord } from "../options/record.ts";
import { allAnswers } from "./largest-answer.ts";
import { mediaTokens } from "./media-tokens.ts";
import { mediaAt, mediaIn, mediaOf, type Placed } from "./request-media.ts";
import { HUNDREDTHS, textTokens } from "./text-tokens.ts";

/** Tokens that a request is estimated to take. */
export interface EstimatedParts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Members that name a conversation, or a part of one, that the provider has kept. */
const KEPT = [
  "previous_response_id",
  "conversation",
  "previous_interaction_id",
  "cachedContent",
  "cached_content",
];

/** As long as a usual answer; the usage settles what it really was. */
export const OUTPUT_TOKENS = 1000;

/** What an estimate supposes of tokens that a request does not tell. */
export interface SupposedTokens {
  /** Tokens of an answer for which the request names no maximum. Default: `1000`. */
  readonly outputTokens?: number | undefined;
  /** Tokens of a conversation that the provider keeps: the `totalTokens` of its last usage. Default: none. */
  readonly keptTokens?: number | undefined;
}

/**
 * @param atMost the sum may be any number from here on, if there are more
 * @throws RequestError if a maximum, or the number of answers, is no positive integer
 */
export function estimateParts(
  body: unknown,
  { outputTokens = OUTPUT_TOKENS, keptTokens = 0 }: SupposedTokens,
  atMost: number,
): EstimatedParts {
  const output = allAnswers(body, outputTokens);
  if (output >= atMost) return { inputTokens: 0, outputTokens: output };
  const most = (atMost - output) * HUNDREDTHS;
  const sent = Math.ceil(requestTokens(body, most) / HUNDREDTHS) + hiddenTokens(body);
  const inputTokens = sent + (continues(body) ? keptTokens : 0);
  return { inputTokens, outputTokens: output };
}

/** Whether a request goes on with what the provider has kept. */
function continues(body: unknown): boolean {
  return isRecord(body) && KEPT.some((name) => Object.hasOwn(body, name) && body[name] !== null);
}

/** The most that Claude gets told of the use of tools, by Anthropic's guide. */
const OF_TOOLS = 600;
const OF_TOOLS_AT_MOST = 804;

/** The most that the definition of a tool of Anthropic's own has, which a request only names. */
const OF_A_NAMED_TOOL = 740;

const NAMED_TOOL = /^(?:bash|code_execution|computer|text_editor)_\d{8}$/;

/** Tokens of the input that a provider adds to a request with tools and bills, which are not in its body. */
function hiddenTokens(body: unknown): number {
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

/**
 * The hundredths of tokens of all texts and names in a request, or some number from `most` on if there are more; a number counts as
 * a token. Every text counts, wherever it stands; base64 counts as what it is where a request carries images, audio and files.
 */
function requestTokens(body: unknown, most: number): number {
  // A list instead of recursion: a body may be nested deeper than the call stack reaches.
  const waiting: Placed[] = [];
  const seen = new Set<object>();

  function weigh(value: unknown, name: string, holder: Placed | undefined): number {
    if (typeof value === "string") {
      const media = mediaIn(value, name, holder);
      if (media) return mediaTokens(media) * HUNDREDTHS;
      const named = mediaAt(value, name, holder);
      return textTokens(value) + (named ? mediaTokens(named) * HUNDREDTHS : 0);
    }
    if (typeof value === "number") return HUNDREDTHS;
    if (typeof value !== "object" || value === null || seen.has(value)) return 0;
    if (ArrayBuffer.isView(value)) {
      const media = mediaOf(value, name, holder);
      return media ? mediaTokens(media) * HUNDREDTHS : textTokens(new TextDecoder().decode(value));
    }
    if (value instanceof URL) return weigh(value.href, name, holder);
    seen.add(value);
    waiting.push({ value, name, holder });
    return 0;
  }

  let sum = weigh(body, "", undefined);
  while (waiting.length > 0 && sum < most) {
    const placed = waiting.pop()!;
    const { value, name, holder } = placed;
    if (Array.isArray(value)) for (const item of value) sum += weigh(item, name, holder);
    else {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) sum += textTokens(key) + weigh(member, key, placed);
      }
    }
  }
  return sum;
}
