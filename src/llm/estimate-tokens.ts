import { Faults } from "../options/faults.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { estimateParts, OUTPUT_TOKENS } from "./estimate-parts.ts";

/** The options of `estimateTokens()`. */
export interface EstimateOptions {
  /**
   * The highest estimate. Give the limit of the policy that counts tokens, so that no request is refused because of its
   * own estimate alone. Range: from 1. Default: no bound.
   */
  readonly atMost?: number;
  /** Tokens of an answer for which the request names no maximum. Range: from 1. Default: `1000`. */
  readonly outputTokens?: number;
  /**
   * The tokens that a conversation has which the provider keeps: `totalTokens` of its last usage. They count where the request names
   * one, such as `previous_response_id`. Range: from 1. Default: none.
   */
  readonly keptTokens?: number;
}

/**
 * Estimates how many tokens a request to a language model will take, before it is sent: a whole number from 0.
 *
 * The input is estimated by its words, digits, signs and scripts: no less than it is, and at most twice as much for usual texts. Every
 * text and name counts, also of tools and documents; images, audio and files in base64 count by the formulas of the providers. The
 * output is the largest that the request allows, under the names of OpenAI, Anthropic, Gemini, Bedrock and Ollama, as often as it asks
 * for (`n`, `candidateCount`).
 *
 * @param body a request's parsed JSON
 * @throws RequestError if a maximum, or the number of answers, is no positive integer; no other body makes this throw
 * @throws ConfigurationError for an option that is unknown or out of range
 * @example
 * const tokens = estimateTokens(await request.clone().json(), { atMost: 4000 });
 */
export function estimateTokens(body: unknown, options: EstimateOptions = {}): number {
  const faults = new Faults();
  const checked = checkedOptions(options, ["atMost", "outputTokens", "keptTokens"], faults);
  const { atMost = Number.MAX_SAFE_INTEGER, outputTokens = OUTPUT_TOKENS, keptTokens } = checked;
  checkPositiveInteger(atMost, Number.MAX_SAFE_INTEGER, "atMost", faults);
  checkPositiveInteger(outputTokens, Number.MAX_SAFE_INTEGER, "outputTokens", faults);
  if (keptTokens !== undefined) {
    checkPositiveInteger(keptTokens, Number.MAX_SAFE_INTEGER, "keptTokens", faults);
  }
  faults.throwIfAny();
  const parts = estimateParts(body, { outputTokens, keptTokens }, atMost);
  return Math.min(atMost, parts.inputTokens + parts.outputTokens);
}
