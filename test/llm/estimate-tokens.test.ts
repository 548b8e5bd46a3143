import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { estimateTokens } from "../../src/llm/estimate-tokens.ts";
import { largestAnswer } from "../../src/llm/largest-answer.ts";
import { RequestError } from "../../src/llm/request-error.ts";
import { textTokens } from "../../src/llm/text-tokens.ts";
import { ConfigurationError } from "../../src/options/errors.ts";

/** The hundredths of tokens of texts and names, and a token for a number. */
function hundredthsIn(value: unknown): number {
  if (typeof value === "string") return textTokens(value);
  if (typeof value === "number") return 100;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + hundredthsIn(each), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, each]) => (each === undefined ? sum : sum + textTokens(name) + hundredthsIn(each)),
    0,
  );
}

describe("the estimate", () => {
  test("is that of texts and names, and the largest answer", () => {
    const body = {
      model: "gpt",
      messages: [{ role: "user", content: "a".repeat(40) }],
      max_tokens: 100,
    };
    // Nine words with 1 + 4 + 3 + 36 + 2 letters beyond their fourth, a sign, and the number of the maximum itself.
    expect(estimateTokens(body)).toBe(Math.ceil(9 * 2.1 + 46 * 0.17 + 0.37 + 1) + 100);
  });

  const AMOUNTS: readonly (readonly [Record<string, unknown>, number])[] = [
    [{ max_completion_tokens: 30, max_output_tokens: 20, max_tokens: 10 }, 30],
    [{ max_output_tokens: 20, max_tokens: 10 }, 20],
    // A provider that does not know one name goes by another.
    [{ max_completion_tokens: 1, max_output_tokens: 20_000, max_tokens: 100_000 }, 100_000],
    [{ max_tokens: 10 }, 10],
    [{ max_tokens_to_sample: 10 }, 10],
    [{}, 1000],
    [{ max_tokens: undefined }, 1000],
    [{ max_tokens: 10, n: 3 }, 30],
    [{ max_tokens: 10, n: 3, best_of: 5 }, 50],
    [{ n: 2 }, 2000],
    [{ generationConfig: { maxOutputTokens: 700, candidateCount: 4 } }, 2_800],
    [{ generation_config: { max_output_tokens: 700, candidate_count: 4 } }, 2_800],
    [{ generationConfig: { candidateCount: 3 } }, 3_000],
    [{ max_tokens: 10, generationConfig: { maxOutputTokens: 700 } }, 700],
    [{ inferenceConfig: { maxTokens: 4_096 } }, 4_096],
    [{ inferenceConfig: { maxTokens: 10 }, additionalModelRequestFields: { max_tokens: 80 } }, 80],
    [{ options: { num_predict: 256 } }, 256],
    [{ parameters: { max_new_tokens: 300 } }, 300],
    [{ maxOutputTokens: 50 }, 50],
    [{ max_gen_len: 60, num_generations: 3 }, 180],
    [{ config: { maxOutputTokens: 50, candidateCount: 2 } }, 100],
    [{ inference_config: { maxTokens: 70 }, numResults: 2 }, 140],
    // A schema has properties with these names, and their values are no numbers.
    [{ tools: [{ parameters: { properties: { max_tokens: { type: "integer" } } } }] }, 1000],
  ];
  test.each(AMOUNTS)("takes the largest answer of %j", (body, output) => {
    const input = Math.ceil(hundredthsIn(body) / 100);
    expect(estimateTokens(body)).toBe(input + output);
  });

  test("is the default answer for a body that is no object", () => {
    for (const body of [undefined, null, true, Symbol("x"), 1n, () => {}, []]) {
      expect(estimateTokens(body, { outputTokens: 7 })).toBe(7);
    }
    expect(estimateTokens("twelve chars", { outputTokens: 7 })).toBe(5 + 7);
  });

  test("counts a list of tokens by its length", () => {
    // The name of five letters is 2.27.
    expect(estimateTokens({ input: Array(500).fill(7) }, { outputTokens: 1 })).toBe(500 + 3 + 1);
  });

  test("is at most the largest allowed one", () => {
    for (const body of [
      { input: "a".repeat(1e6) },
      { max_tokens: 1e308, n: 1e308 },
      { max_tokens: 3999, input: "abcdefgh" },
      { max_tokens: 4000 },
    ]) {
      expect(estimateTokens(body, { atMost: 4000 })).toBe(4000);
    }
    expect(estimateTokens({ max_tokens: 100 }, { atMost: 4000 })).toBeLessThan(110);
    expect(estimateTokens({ max_tokens: 1e308, n: 1e308 })).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("a maximum that is no positive integer is refused", () => {
  const WRONG = [0, -1, 1.5, -0.5, NaN, Infinity, null, true, "30", "", [], [30], {}];
  test.for(WRONG)("%j", (wrong) => {
    for (const body of [
      { max_completion_tokens: wrong },
      { max_completion_tokens: wrong, max_tokens: 10 },
      { max_tokens: 10, n: wrong },
      { generationConfig: { maxOutputTokens: wrong } },
      { generationConfig: { maxOutputTokens: 10, candidateCount: wrong } },
      { inferenceConfig: { maxTokens: wrong } },
      { options: { num_predict: wrong } },
    ]) {
      for (const read of [
        () => estimateTokens(body, { atMost: 4_000 }),
        () => largestAnswer(body),
      ]) {
        expect(read).toThrow(RequestError);
        expect(read).toThrow(expect.objectContaining({ code: "ERR_REQUEST", status: 400 }));
      }
    }
  });

  test("with the path, the value and what to give of each", () => {
    const wrong = () =>
      largestAnswer({ max_tokens: -1, generationConfig: { candidateCount: "two" } });
    expect(wrong).toThrow(
      "max_tokens: -1: Give a whole number from 1 to 9007199254740991.\n" +
        'generationConfig.candidateCount: "two": Give a whole number from 1 to 9007199254740991.',
    );
  });
});

test("the largest answer is the greatest maximum of one, if there is any", () => {
  expect(largestAnswer({ max_tokens: 10, options: { num_predict: 20 }, n: 3 })).toBe(20);
  for (const body of [{}, { n: 3 }, [], null, undefined, "max_tokens", { options: [] }]) {
    expect(largestAnswer(body)).toBeUndefined();
  }
});

describe("no other body makes it throw", () => {
  const isWhole = (estimate: number) => Number.isSafeInteger(estimate) && estimate >= 0;

  test("for any JSON", () => {
    const hostile = fc.record({
      messages: fc.jsonValue(),
      n: fc.jsonValue(),
      max_tokens: fc.jsonValue(),
      generationConfig: fc.record({ maxOutputTokens: fc.jsonValue() }),
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.jsonValue()), (body) => {
        try {
          expect(isWhole(estimateTokens(body))).toBe(true);
          expect(estimateTokens(body, { atMost: 50 })).toBeLessThanOrEqual(50);
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
        }
      }),
    );
  });

  test("nor one that is nested deeply, is a circle, or has many members", () => {
    let deep: unknown = "text";
    for (let level = 0; level < 2e5; level++) deep = [deep];
    expect(estimateTokens({ messages: deep, max_tokens: 1 })).toBe(
      Math.ceil(4 * 2.1 + 6 * 0.17 + 0.37 + 1) + 1,
    );
    const circle: Record<string, unknown> = { max_tokens: 1 };
    circle["self"] = circle;
    expect(estimateTokens(circle)).toBe(Math.ceil(3 * 2.1 + 2 * 0.17 + 0.37 + 1) + 1);
    expect(estimateTokens({ messages: Array(2e5).fill(null), max_tokens: 1 })).toBe(9 + 1);
  });
});

test("options that are wrong are named, all at once", () => {
  const wrong = () => estimateTokens({}, { atMost: 0, outputTokens: 1.5, most: 3 } as never);
  expect(wrong).toThrow(ConfigurationError);
  expect(wrong).toThrow(/most: 3[^]*atMost: 0: Give a whole number[^]*outputTokens: 1.5/);
  expect(() => estimateTokens({}, null as never)).toThrow(/options: null/);
});
