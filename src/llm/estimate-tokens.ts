import { Faults } from "../options/faults.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { estimateParts } from "./estimate-parts.ts";

/** The options of `estimateTokens()`. */
export interface EstimateOptions {
  /**
   * The highest estimate. Give the limit of the policy that counts tokens, so that no request is refused because of its
   * own estimate alone. Range: from 1. Default: no bound.
   */
  readonly atMost?: number;
  /** Tokens of an answer for which the request names no maximum. Range: from 1. Default: `1000`. */
  readonly outputTokens?: number;
}

/** As long as a usual answer; the usage settles what it really was. */
export const OUTPUT_TOKENS = 1000;

/**
 * Estimates how many tokens a request to a language model will take, before it is sent: a whole number from 0.
 *
 * The input is a rule of thumb: four characters of texts and names are a token, and so is a number. Every text counts, also of tools
 * and documents; images, audio and files in base64 do not. The output is the largest that the request allows, under the names
 * of OpenAI, Anthropic, Gemini, Bedrock and Ollama, as often as it asks for (`n`, `candidateCount`).
 *
 * @param body a request's parsed JSON
 * @throws RequestError if a maximum, or the number of answers, is no positive integer; no other body makes this throw
 * @throws ConfigurationError for an option that is unknown or out of range
 * @example
 * const tokens = estimateTokens(await request.clone().json(), { atMost: 4000 });
 */
export function estimateTokens(body: unknown, options: EstimateOptions = {}): number {
  const faults = new Faults();
  const checked = checkedOptions(options, ["atMost", "outputTokens"], faults);
  const { atMost = Number.MAX_SAFE_INTEGER, outputTokens = OUTPUT_TOKENS } = checked;
  checkPositiveInteger(atMost, Number.MAX_SAFE_INTEGER, "atMost", faults);
  checkPositiveInteger(outputTokens, Number.MAX_SAFE_INTEGER, "outputTokens", faults);
  faults.throwIfAny();
  const parts = estimateParts(body, outputTokens, atMost);
  return Math.min(atMost, parts.inputTokens + parts.outputTokens);
}
