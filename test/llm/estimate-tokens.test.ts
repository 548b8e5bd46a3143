import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ConfigurationError } from "../../src/errors/errors.ts";
import { estimateTokens } from "../../src/llm/estimate-tokens.ts";

describe("the estimate", () => {
  test("is a quarter of the characters of texts and names, and the largest answer", () => {
    // Names: 5 + 8 + 4 + 7 + 10, texts: 3 + 4 + 40.
    const body = {
      model: "gpt",
      messages: [{ role: "user", content: "a".repeat(40) }],
      max_tokens: 100,
    };
    // The number of the maximum counts as a token itself.
    expect(estimateTokens(body)).toBe(Math.ceil((5 + 8 + 4 + 7 + 10 + 3 + 4 + 40) / 4) + 1 + 100);
  });

  test.each([
    [{ max_completion_tokens: 30, max_output_tokens: 20, max_tokens: 10 }, 30],
    [{ max_output_tokens: 20, max_tokens: 10 }, 20],
    // A provider that does not know one name goes by another.
    [{ max_completion_tokens: 1, max_output_tokens: 20_000, max_tokens: 100_000 }, 100_000],
    [{ max_tokens: 10 }, 10],
    [{ max_tokens: 0 }, 0],
    [{ max_tokens: 0.5 }, 1],
    [{ max_completion_tokens: null, max_tokens: 10 }, 10],
    [{ max_completion_tokens: "30", max_tokens: 10 }, 10],
    [{ max_tokens: -1 }, 1000],
    [{ max_tokens: Infinity }, 1000],
    [{ max_tokens: Number.NaN }, 1000],
    [{}, 1000],
    [{ max_tokens: 10, n: 3 }, 30],
    [{ n: 2 }, 2000],
    [{ max_tokens: 10, n: 0 }, 10],
    [{ max_tokens: 10, n: -4 }, 10],
    [{ max_tokens: 10, n: "9" }, 10],
  ])("takes the largest answer of %j", (body, output) => {
    const characters = Object.entries(body).map(
      ([name, value]) =>
        name.length + (value === null ? 0 : typeof value === "string" ? value.length : 4),
    );
    const input = Math.ceil(characters.reduce((sum, each) => sum + each, 0) / 4);
    expect(estimateTokens(body)).toBe(input + output);
  });

  test("is the default answer for a body that is no object", () => {
    for (const body of [undefined, null, true, Symbol("x"), 1n, () => {}, []]) {
      expect(estimateTokens(body, { outputTokens: 7 })).toBe(7);
    }
    expect(estimateTokens("twelve chars", { outputTokens: 7 })).toBe(3 + 7);
  });

  test("counts a list of tokens by its length", () => {
    expect(estimateTokens({ input: Array(500).fill(7), max_tokens: 0 })).toBe(500 + 1 + 4);
  });

  test("does not count images, audio and files by their characters", () => {
    const data = "A".repeat(100_000);
    for (const part of [
      { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
      { type: "input_image", image_url: `data:image/png;base64,${data}` },
      { type: "input_audio", input_audio: { data, format: "wav" } },
      { type: "file", file: { file_data: data } },
      { type: "input_file", file_data: data },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ]) {
      const estimate = estimateTokens({ messages: [{ role: "user", content: [part] }] });
      expect([part.type, estimate < 1020]).toEqual([part.type, true]);
    }
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

describe("no body makes it throw", () => {
  const isWhole = (estimate: number) => Number.isSafeInteger(estimate) && estimate >= 0;

  test("for any JSON", () => {
    const hostile = fc.record({
      messages: fc.jsonValue(),
      n: fc.jsonValue(),
      max_tokens: fc.jsonValue(),
      max_output_tokens: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.jsonValue()), (body) => {
        expect(isWhole(estimateTokens(body))).toBe(true);
        expect(estimateTokens(body, { atMost: 50 })).toBeLessThanOrEqual(50);
      }),
    );
  });

  test("nor one that is nested deeply, is a circle, or has many members", () => {
    let deep: unknown = "text";
    for (let level = 0; level < 2e5; level++) deep = [deep];
    expect(estimateTokens({ messages: deep, max_tokens: 0 })).toBe(Math.ceil((8 + 4 + 10) / 4) + 1);
    const circle: Record<string, unknown> = { max_tokens: 0 };
    circle["self"] = circle;
    expect(estimateTokens(circle)).toBe(Math.ceil((10 + 4) / 4) + 1);
    expect(estimateTokens({ messages: Array(2e5).fill(null), max_tokens: 0 })).toBe(6);
  });
});

test("options that are wrong are named, all at once", () => {
  const wrong = () => estimateTokens({}, { atMost: 0, outputTokens: 1.5, most: 3 } as never);
  expect(wrong).toThrow(ConfigurationError);
  expect(wrong).toThrow(/most: 3[^]*atMost: 0: Give a whole number[^]*outputTokens: 1.5/);
  expect(() => estimateTokens({}, null as never)).toThrow(/options: null/);
});
