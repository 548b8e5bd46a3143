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

describe("what a provider adds to a request with tools counts, too:", () => {
  const asked = (tools: unknown, model = "claude-sonnet-5") => ({
    model,
    max_tokens: 1,
    messages: [{ role: "user", content: "When is high tide?" }],
    tools,
  });
  const tool = { name: "tide", description: "Tides of a harbour.", input_schema: {} };
  const function_ = { type: "function", function: { name: "tide", parameters: {} } };
  // The most that Anthropic's guide has for each model, and for each of its own tools.
  test.for([
    ["a tool of Claude", asked([tool]), 474, 700],
    ["a tool of Opus 4.7", asked([tool], "claude-opus-4-7"), 804, 900],
    ["a tool at Bedrock", { toolConfig: { tools: [{ toolSpec: { name: "tide" } }] } }, 588, 700],
    [
      "its shell and editor",
      asked([{ type: "bash_20250124" }, { type: "text_editor_20250728" }]),
      1_534,
      2_200,
    ],
    ["a search of the web", asked([{ type: "web_search_20250305", name: "web_search" }]), 474, 700],
    ["a tool of OpenAI", asked([function_]), 0, 60],
    ["no tools", asked([]), 0, 10],
  ] as const)("%s", ([, body, least, most]) => {
    const { tools, toolConfig, ...plain } = body as Record<string, unknown>;
    void [tools, toolConfig];
    const more = estimateTokens(body) - estimateTokens(plain);
    expect(more).toBeGreaterThanOrEqual(least);
    expect(more).toBeLessThanOrEqual(most);
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
