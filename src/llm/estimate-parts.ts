import { allAnswers } from "./largest-answer.ts";
import { requestTokens } from "./request-text.ts";
import { HUNDREDTHS } from "./text-tokens.ts";

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
  const most = (atMost - output) * HUNDREDTHS;
  const inputTokens = Math.ceil(requestTokens(body, most) / HUNDREDTHS);
  return { inputTokens, outputTokens: output };
}
