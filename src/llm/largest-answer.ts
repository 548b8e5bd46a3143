import { Faults } from "../options/faults.ts";
import { INTEGER } from "../options/messages.ts";
import { isRecord } from "../options/record.ts";
import { RequestError } from "./request-error.ts";

/** The names of an answer's largest length. */
const MAXIMA = [
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens",
  "max_new_tokens",
  "max_tokens_to_sample",
  "max_response_output_tokens",
  "max_gen_len",
  "maxCompletionTokens",
  "maxOutputTokens",
  "maxTokens",
  "maxTokenCount",
  "maxNewTokens",
  "maxTokensToSample",
  "num_predict",
];

/** The names of how many answers are made. */
const ANSWERS = [
  "n",
  "best_of",
  "bestOf",
  "candidateCount",
  "candidate_count",
  "num_generations",
  "numGenerations",
  "num_return_sequences",
  "numResults",
];

/** Objects with such names, beside the request itself: of Gemini, Bedrock, Ollama and others. */
const SETTINGS = [
  "generationConfig",
  "generation_config",
  "inferenceConfig",
  "inference_config",
  "additionalModelRequestFields",
  "additional_model_request_fields",
  "textGenerationConfig",
  "options",
  "parameters",
  "config",
];

/**
 * The most tokens that one answer to a request may have: the greatest of all maxima that it names, because a provider ignores
 * those that it does not know, and a client may send a low one of them. `undefined` if it names none.
 *
 * @param body a request's parsed JSON
 * @throws RequestError if a maximum, or the number of answers, is no positive integer
 * @example
 * const max_completion_tokens = Math.min(largestAnswer(body) ?? 4_000, 4_000);
 */
export function largestAnswer(body: unknown): number | undefined {
  return checked(body).largest;
}

/** The most tokens that all answers to a request may have, each of so many if it names no maximum. */
export function allAnswers(body: unknown, outputTokens: number): number {
  const { largest = outputTokens, answers = 1 } = checked(body);
  return largest * answers;
}

function checked(body: unknown): { readonly largest?: number; readonly answers?: number } {
  const faults = new Faults();
  const largest = greatest(body, MAXIMA, faults);
  const answers = greatest(body, ANSWERS, faults);
  if (faults.list.length > 0) throw new RequestError(faults.list);
  return { ...(largest && { largest }), ...(answers && { answers }) };
}

function greatest(body: unknown, names: readonly string[], faults: Faults): number | undefined {
  if (!isRecord(body)) return undefined;
  let most: number | undefined;
  for (const settings of ["", ...SETTINGS]) {
    const holder = settings === "" ? body : Object.hasOwn(body, settings) && body[settings];
    if (!isRecord(holder)) continue;
    for (const name of names) {
      const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
      if (value === undefined) continue;
      // Also beyond 2^53, where a number is greater than any limit.
      if (Number.isInteger(value) && Number(value) > 0) most = Math.max(most ?? 0, Number(value));
      else {
        const path = settings === "" ? name : `${settings}.${name}`;
        faults.add(path, value, INTEGER, { max: Number.MAX_SAFE_INTEGER });
      }
    }
  }
  return most;
}
