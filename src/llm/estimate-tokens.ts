import { Faults } from "../options/faults.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";

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

/**
 * OpenAI's rule of thumb for English; Anthropic's is 3.5. Chinese, Japanese and Korean take about one token per character.
 */
const CHARACTERS_PER_TOKEN = 4;

/** As long as a usual answer; the usage settles what it really was. */
const OUTPUT_TOKENS = 1000;

/** The names of an answer's largest length. */
const MAXIMA = ["max_completion_tokens", "max_output_tokens", "max_tokens"];

/** Under these names requests carry images, audio and files, as text that is not counted by its characters. */
const MEDIA = new Set(["image_url", "input_audio", "file", "file_data", "source"]);

/**
 * Estimates how many tokens a request to OpenAI or Anthropic will take, before it is sent: a whole number from 0.
 *
 * The input is a rule of thumb: four characters of texts and names are a token, and so is a number. Images, audio and
 * files count nothing. The output is the largest that the request allows (of `max_completion_tokens`, `max_output_tokens`
 * and `max_tokens`), as often as it asks for (`n`).
 *
 * @param body a request's parsed JSON. It may be anything: no body makes this throw.
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
  const output = answersOf(body) * (largestAnswer(body) ?? outputTokens);
  if (output >= atMost) return atMost;
  const most = (atMost - output) * CHARACTERS_PER_TOKEN;
  return Math.min(atMost, output + Math.ceil(countCharacters(body, most) / CHARACTERS_PER_TOKEN));
}

/** The largest of all names: a provider ignores those that it does not know, and a client may send a low one of them. */
function largestAnswer(body: unknown): number | undefined {
  const maxima = MAXIMA.map((name) => memberOf(body, name)).filter(isCount);
  return maxima.length === 0 ? undefined : Math.ceil(Math.max(...maxima));
}

function answersOf(body: unknown): number {
  const n = memberOf(body, "n");
  return isCount(n) ? Math.max(1, Math.ceil(n)) : 1;
}

/** The characters of a body's texts and names, or some number from `most` on if there are more. */
function countCharacters(body: unknown, most: number): number {
  // A list instead of recursion: a body may be nested deeper than the call stack reaches.
  const waiting = [body];
  const seen = new Set<object>();
  let characters = 0;
  while (waiting.length > 0 && characters < most) {
    const value = waiting.pop();
    if (typeof value === "string") characters += value.length;
    else if (typeof value === "number") characters += CHARACTERS_PER_TOKEN;
    else if (typeof value !== "object" || value === null || seen.has(value)) continue;
    else {
      seen.add(value);
      characters += addMembers(value, waiting);
    }
  }
  return characters;
}

/** Adds what a list or an object holds, except media. Returns how many characters its names have. */
function addMembers(value: object, waiting: unknown[]): number {
  if (Array.isArray(value)) {
    for (const item of value) waiting.push(item);
    return 0;
  }
  let characters = 0;
  for (const [name, member] of Object.entries(value)) {
    characters += name.length;
    if (!MEDIA.has(name)) waiting.push(member);
  }
  return characters;
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name)
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** JSON knows no infinity, but `1e999` is read as one. */
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
