import { expect, test } from "vitest";

import type { Usage } from "../../src/llm.ts";
import { bytesOf, readThrough, streamed } from "./streamed.ts";

const chat = { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 };
const responses = { input_tokens: 900, output_tokens: 80, total_tokens: 980 };
const gemini = { promptTokenCount: 900, candidatesTokenCount: 80, totalTokenCount: 980 };

async function partsOf(body: string, type = "application/json"): Promise<Partial<Usage>> {
  const { told } = await readThrough(streamed([bytesOf(body)], type));
  expect(told[0]).toMatchObject({ inputTokens: 900, outputTokens: 80 });
  const { inputTokens, outputTokens, totalTokens, cachedTokens, cacheWriteTokens, ...parts } =
    told[0]!;
  void [inputTokens, outputTokens, totalTokens, cachedTokens, cacheWriteTokens];
  return parts;
}

test.for([
  [
    "a chat completion with audio, of a tier",
    {
      model: "gpt-audio",
      service_tier: "flex",
      usage: {
        ...chat,
        prompt_tokens_details: { audio_tokens: 300 },
        completion_tokens_details: { audio_tokens: 20 },
      },
    },
    { models: ["gpt-audio"], tiers: ["flex"], audioInputTokens: 300, audioOutputTokens: 20 },
  ],
  [
    "a response with two searches",
    {
      model: "gpt-5",
      output: [
        { type: "web_search_call", id: "ws_1", action: { type: "search" } },
        { type: "message", content: [{ type: "web_search_call" }] },
        { id: "ws_2", type: "web_search_call" },
      ],
      usage: responses,
    },
    { models: ["gpt-5"], searches: 2 },
  ],
  [
    "Anthropic's message with a cache of an hour, in fast mode",
    {
      model: "claude-opus-5",
      usage: {
        input_tokens: 100,
        output_tokens: 80,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 800,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 600 },
        server_tool_use: { web_search_requests: 3, web_fetch_requests: 9 },
        service_tier: "standard",
        speed: "fast",
        inference_geo: "us",
      },
    },
    {
      models: ["claude-opus-5"],
      cacheWriteHourTokens: 600,
      searches: 3,
      tiers: ["standard", "fast", "us"],
    },
  ],
  [
    "Gemini's content with audio and two queries",
    {
      modelVersion: "gemini-2.5-flash",
      candidates: [{ groundingMetadata: { webSearchQueries: ["tides", "ebb"] } }],
      usageMetadata: {
        ...gemini,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 500 },
          { tokenCount: 400, modality: "AUDIO" },
        ],
      },
    },
    { models: ["gemini-2.5-flash"], audioInputTokens: 400, searches: 2 },
  ],
  [
    "Bedrock's conversation with a cache of an hour",
    {
      serviceTier: { type: "priority" },
      usage: {
        inputTokens: 100,
        outputTokens: 80,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 800,
        cacheDetails: [
          { ttl: "1h", inputTokens: 500 },
          { inputTokens: 300, ttl: "5m" },
        ],
      },
    },
    { cacheWriteHourTokens: 500, tiers: ["priority"] },
  ],
] as const)("%s", async ([, body, parts]) => {
  expect(await partsOf(JSON.stringify(body))).toEqual({ ...parts, complete: true });
});

test("documents that tell parts again are not summed, and models are told once", async () => {
  const event = (tokens: number) =>
    `data: ${JSON.stringify({
      modelVersion: "gemini-2.5-flash",
      candidates: [{ finishReason: "STOP", groundingMetadata: { webSearchQueries: ["tides"] } }],
      usageMetadata: {
        ...gemini,
        promptTokensDetails: [{ modality: "AUDIO", tokenCount: tokens }],
      },
    })}\n\n`;
  expect(await partsOf(event(300) + event(400), "text/event-stream")).toEqual({
    models: ["gemini-2.5-flash"],
    audioInputTokens: 400,
    searches: 1,
    complete: true,
  });
});

test("a text of the answer names no model and no search", async () => {
  const body = {
    choices: [{ message: { content: "{}", model: "free" }, finish_reason: "stop" }],
    messages: [{ model: "free" }],
    model: "gpt-5",
    usage: chat,
  };
  expect(await partsOf(JSON.stringify(body))).toEqual({ models: ["gpt-5"], complete: true });
});
