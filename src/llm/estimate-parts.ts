import { isRecord } from "../options/record.ts";
import { hiddenTokens } from "./hidden-input.ts";
import { allAnswers } from "./largest-answer.ts";
import { requestTokens } from "./request-text.ts";
import { HUNDREDTHS } from "./text-tokens.ts";

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
