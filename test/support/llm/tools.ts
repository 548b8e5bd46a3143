import { BAIT, bill, by, json, named, stream, unnamed } from "./shape.ts";

/** Answers for which the provider ran tools of its own, whose fees and tokens stand in other places than those of the answer. */

const drawn = {
  input_tokens: 171,
  input_tokens_details: { image_tokens: 0, text_tokens: 171 },
  output_tokens: 1_756,
  output_tokens_details: { image_tokens: 1_756, text_tokens: 0 },
  total_tokens: 1_927,
};

const response = {
  object: "response",
  model: "gpt-5",
  status: "completed",
  output: [
    { type: "web_search_call", id: "ws_1", action: { type: "search", query: "tides" } },
    { type: "file_search_call", id: "fs_1", queries: ["ebb"] },
    { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "1+1" },
    { type: "code_interpreter_call", id: "ci_2", container_id: "cntr_1", code: "2+2" },
    { type: "image_generation_call", id: "ig_1", result: "iVBORw0KGgo=" },
    { type: "message", content: [{ type: "output_text", text: BAIT }] },
  ],
  tool_usage: { image_gen: drawn, web_search: { num_requests: 3 } },
  usage: {
    input_tokens: 2_000,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 100,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2_100,
  },
};

// The image of another model is beside the answer: 2,000 + 171 and 100 + 1,756. Three searches of the web, one container.
const responseBill = by("gpt-5", bill(2_171, 1_856, 0), { searches: 3, containers: 1 });

const chunk = (query: string, finish?: string) => ({
  candidates: [
    {
      content: { parts: [{ text: BAIT }], role: "model" },
      groundingMetadata: { webSearchQueries: [query, "2026"] },
      ...(finish && { finishReason: finish }),
    },
  ],
  usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 12, totalTokenCount: 42 },
  modelVersion: "gemini-3-flash",
});

export const TOOLS = [
  json("OpenAI's response with tools", response, responseBill),
  stream(
    "the stream of OpenAI's response with tools",
    named(
      {
        type: "response.created",
        response: {
          ...response,
          status: "in_progress",
          output: [],
          tool_usage: {
            image_gen: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
            web_search: { num_requests: 0 },
          },
          usage: null,
        },
      },
      { type: "response.completed", response },
    ),
    responseBill,
  ),
  json(
    "xAI's response with tools",
    {
      object: "response",
      model: "grok-4",
      status: "completed",
      output: [],
      usage: {
        input_tokens: 9_212,
        input_tokens_details: { cached_tokens: 3_072 },
        output_tokens: 3_417,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 12_629,
        num_sources_used: 0,
        num_server_side_tools_used: 3,
        cost_in_usd_ticks: 318_319_000,
        server_side_tool_usage_details: { web_search_calls: 0, x_search_calls: 3 },
        context_details: { input_tokens: 7_622, output_tokens: 3_219 },
      },
    },
    // 0.0318319 dollars.
    by("grok-4", bill(9_212, 3_417, 3_072), { searches: 3, costMicroDollars: 31_832 }),
  ),
  json(
    "Mistral's conversation with a connector",
    {
      object: "conversation.response",
      conversation_id: "conv_1",
      outputs: [{ type: "message.output", model: "mistral-medium-2505", content: BAIT }],
      usage: {
        prompt_tokens: 188,
        completion_tokens: 55,
        total_tokens: 7_355,
        connector_tokens: 7_112,
        connectors: { web_search: 1 },
      },
    },
    // 188 + 7,112 of input.
    { ...bill(7_300, 55), searches: 1 },
  ),
  json(
    "Groq's compound of two models",
    {
      object: "chat.completion",
      model: "groq/compound",
      choices: [{ index: 0, message: { role: "assistant", content: BAIT }, finish_reason: "stop" }],
      usage: { prompt_tokens: 300, completion_tokens: 100, total_tokens: 400 },
      usage_breakdown: {
        models: [
          {
            model: "llama-3.3-70b-versatile",
            usage: { prompt_tokens: 300, completion_tokens: 100, total_tokens: 400 },
          },
          {
            model: "openai/gpt-oss-120b",
            usage: { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 },
          },
        ],
      },
    },
    // 300 + 1,000, and 100 + 50.
    {
      ...bill(1_300, 150),
      models: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b", "groq/compound"],
    },
  ),
  json(
    "Perplexity's chat completion",
    {
      model: "sonar",
      choices: [{ index: 0, message: { role: "assistant", content: BAIT }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 14,
        completion_tokens: 70,
        total_tokens: 84,
        search_context_size: "low",
        cost: {
          input_tokens_cost: 0,
          output_tokens_cost: 0,
          request_cost: 0.005,
          total_cost: 0.005,
        },
      },
    },
    by("sonar", bill(14, 70), { costMicroDollars: 5_000 }),
  ),
  json(
    "an interaction that has searched the web and maps",
    {
      object: "interaction",
      status: "completed",
      usage: {
        total_input_tokens: 100,
        total_output_tokens: 10,
        total_tokens: 110,
        grounding_tool_count: [
          { type: "google_search", count: 1 },
          { type: "google_maps", count: 2 },
        ],
      },
    },
    { ...bill(100, 10), searches: 3 },
  ),
  stream(
    "the stream of Gemini's content with a search in each chunk",
    unnamed(chunk("tides"), chunk("ebb", "STOP")).replace("data: [DONE]\n\n", ""),
    // "tides", "ebb" and "2026".
    by("gemini-3-flash", bill(30, 12), { searches: 3 }),
  ),
  stream(
    "a stream with a byte order mark",
    `\uFEFF${unnamed({ usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } })}`,
    bill(10, 20),
  ),
];
