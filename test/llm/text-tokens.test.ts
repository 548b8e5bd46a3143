import { describe, expect, test } from "vitest";

import { estimateTokens } from "../../src/llm.ts";
import { textTokens } from "../../src/llm/text-tokens.ts";
import { TEXTS } from "../support/llm/texts.ts";

/*
 * Estimates beside what is billed. OpenAI adds about four tokens for each message, and three for the answer; the text alone decides the
 * rest.
 */

const LONG = 6;

describe("an estimate is at least the bill, and at most twice the input:", () => {
  test.for(TEXTS)("%s", ([, text, tokens]) => {
    const estimate = textTokens(text) / 100;
    expect(estimate).toBeGreaterThanOrEqual(tokens);
    expect(estimate).toBeLessThanOrEqual(2.02 * tokens);
  });

  const BODIES: readonly (readonly [string, (text: string) => object, messages: number])[] = [
    [
      "OpenAI's chat",
      (text) => ({ model: "gpt-5", messages: [{ role: "user", content: text }] }),
      1,
    ],
    ["OpenAI's Responses", (text) => ({ model: "gpt-5", input: text }), 1],
    [
      "Anthropic's Messages",
      (text) => ({
        model: "claude-opus-5",
        max_tokens: 1,
        system: [{ type: "text", text }],
        messages: [{ role: "user", content: [{ type: "text", text }] }],
      }),
      2,
    ],
    ["Gemini's content", (text) => ({ contents: [{ role: "user", parts: [{ text }] }] }), 1],
    [
      "Bedrock's conversation",
      (text) => ({ messages: [{ role: "user", content: [{ text }] }] }),
      1,
    ],
    [
      "Cohere's chat",
      (text) => ({ model: "command-a", messages: [{ role: "user", content: text }] }),
      1,
    ],
    ["Ollama's generate", (text) => ({ model: "gemma3", prompt: text }), 1],
  ];

  test.for(BODIES)("of each text in %s", ([, bodyOf, messages]) => {
    for (const [kind, text, tokens] of TEXTS) {
      const long = text.repeat(LONG);
      const estimate = estimateTokens(bodyOf(long), { outputTokens: 1 }) - 1;
      const billed = messages * (LONG * tokens + 4) + 3;
      expect([kind, estimate >= billed * 0.98]).toEqual([kind, true]);
      expect([kind, estimate <= 2.02 * billed + 40]).toEqual([kind, true]);
    }
  });
});

test("a conversation that the provider keeps counts where the request names it", () => {
  const body = { input: "And then?", max_output_tokens: 100 };
  const plain = estimateTokens(body, { keptTokens: 5_000 });
  expect(plain).toBe(estimateTokens(body));
  for (const name of ["previous_response_id", "conversation", "cachedContent"]) {
    const more = { ...body, [name]: "resp_1" };
    expect(estimateTokens(more, { keptTokens: 5_000 })).toBe(estimateTokens(more) + 5_000);
    expect(estimateTokens({ ...body, [name]: null }, { keptTokens: 5_000 })).toBeLessThan(5_000);
  }
  const most = { keptTokens: 5_000, atMost: 4_000 };
  expect(estimateTokens({ ...body, conversation: "c" }, most)).toBe(4_000);
});
