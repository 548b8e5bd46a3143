import type { Usage } from "../../../src/llm/usage.ts";

/** A response of a provider, with made-up texts in the structure that the provider sends. */
export interface Shape {
  readonly name: string;
  readonly type: "application/json" | "text/event-stream; charset=utf-8";
  readonly body: string;
  readonly usage: Usage;
}

/** Looks like a usage, in a text: quotes, escapes, and characters of two to four bytes. */
const BAIT =
  '5" of café, „5 €“ 🦀 \\ "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}]}\ndata: {"usage":{"total_tokens":9}}\n\n';

const json = (name: string, body: object, usage: Usage): Shape => ({
  name,
  type: "application/json",
  body: JSON.stringify(body, null, 2),
  usage,
});

const stream = (name: string, body: string, usage: Usage): Shape => ({
  name,
  type: "text/event-stream; charset=utf-8",
  body,
  usage,
});

/** Events as OpenAI's chat completions send them. */
const unnamed = (...data: readonly object[]) =>
  `${data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;

/** Events as Anthropic and OpenAI's Responses API send them. */
const named = (...data: readonly ({ readonly type: string } & Record<string, unknown>)[]) =>
  data.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

const chatUsage = {
  prompt_tokens: 1117,
  completion_tokens: 46,
  total_tokens: 1163,
  prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0, cache_write_tokens: 64 },
  completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 0 },
};

const chat: Usage = {
  inputTokens: 1117,
  outputTokens: 46,
  totalTokens: 1163,
  cachedTokens: 1024,
  cacheWriteTokens: 64,
  complete: true,
};

const chunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl-B9MBs8Cj",
  object: "chat.completion.chunk",
  created: 1741570283,
  model: "gpt-5-mini",
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  usage: null,
});

const message = {
  type: "message",
  id: "msg_67ccd2bf",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", annotations: [], text: BAIT }],
};

const responded = (status: string, usage: object | null) => ({
  id: "resp_67ccd2bed1ec",
  object: "response",
  created_at: 1741476542,
  status,
  output: [message],
  usage,
  metadata: { usage: '{"total_tokens": 3}', message: BAIT },
});

const responsesUsage = {
  input_tokens: 328,
  input_tokens_details: { cached_tokens: 128 },
  output_tokens: 52,
  output_tokens_details: { reasoning_tokens: 7 },
  total_tokens: 380,
};

const responses: Usage = {
  inputTokens: 328,
  outputTokens: 52,
  totalTokens: 380,
  cachedTokens: 128,
  complete: true,
};

const toolUse = {
  type: "tool_use",
  id: "toolu_01",
  name: "bill",
  input: { usage: { input_tokens: 5, output_tokens: 5 }, message: { usage: { input_tokens: 6 } } },
};

const anthropicUsage = {
  input_tokens: 2095,
  cache_creation_input_tokens: 248,
  cache_read_input_tokens: 1800,
  cache_creation: { ephemeral_5m_input_tokens: 248, ephemeral_1h_input_tokens: 0 },
  output_tokens: 503,
  service_tier: "standard",
};

const anthropic: Usage = {
  inputTokens: 4143,
  outputTokens: 503,
  totalTokens: 4646,
  cachedTokens: 1800,
  cacheWriteTokens: 248,
  complete: true,
};

/** The usage in Anthropic's stream before the answer is complete. */
export const ANTHROPIC_START: Usage = {
  ...anthropic,
  outputTokens: 1,
  totalTokens: 4144,
  complete: false,
};

export const CHAT = json(
  "OpenAI's chat completion",
  {
    id: "chatcmpl-B9MBs8Cj",
    object: "chat.completion",
    created: 1741570283,
    model: "gpt-5-mini",
    choices: [
      { index: 0, message: { role: "assistant", content: BAIT, usage: { total_tokens: 8 } } },
    ],
    usage: chatUsage,
    service_tier: "default",
  },
  chat,
);

export const CHAT_STREAM = stream(
  "the stream of OpenAI's chat completion",
  unnamed(chunk({ role: "assistant", content: "" }), chunk({ content: BAIT }), chunk({}, "stop"), {
    ...chunk({}),
    choices: [],
    usage: chatUsage,
  }),
  chat,
);

export const ANTHROPIC_STREAM = stream(
  "the stream of Anthropic's message",
  named(
    {
      type: "message_start",
      message: {
        id: "msg_1nZdL29xx5MUA1yADyHTEsnR",
        type: "message",
        role: "assistant",
        content: [],
        model: "claude-sonnet-4-5",
        stop_reason: null,
        stop_sequence: null,
        usage: { ...anthropicUsage, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: BAIT },
    },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 503, input_tokens: null },
    },
    { type: "message_stop" },
  ),
  anthropic,
);

export const SHAPES: readonly Shape[] = [
  CHAT,
  CHAT_STREAM,
  json("OpenAI's response", responded("completed", responsesUsage), responses),
  stream(
    "the stream of OpenAI's response",
    named(
      { type: "response.created", response: responded("in_progress", null) },
      { type: "response.output_text.delta", item_id: "msg_67ccd2bf", delta: BAIT },
      { type: "response.output_item.done", item: message },
      { type: "response.completed", response: responded("completed", responsesUsage) },
    ),
    responses,
  ),
  json(
    "Anthropic's message",
    {
      id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: BAIT }, toolUse],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: anthropicUsage,
    },
    anthropic,
  ),
  ANTHROPIC_STREAM,
];
