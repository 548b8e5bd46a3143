import { allAnswers } from "./largest-answer.ts";
import { CHARACTERS_PER_TOKEN, countCharacters } from "./request-text.ts";

/** Tokens that a request is estimated to take. */
export interface EstimatedParts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * @param outputTokens those of an answer for which the request names no maximum
 * @param atMost the sum may be any number from here on, if there are more
 * @throws RequestError if a maximum, or the number of answers, is no positive integer
 */
export function estimateParts(body: unknown, outputTokens: number, atMost: number): EstimatedParts {
  const output = allAnswers(body, outputTokens);
  if (output >= atMost) return { inputTokens: 0, outputTokens: output };
  const most = (atMost - output) * CHARACTERS_PER_TOKEN;
  const inputTokens = Math.ceil(countCharacters(body, most) / CHARACTERS_PER_TOKEN);
  return { inputTokens, outputTokens: output };
}
