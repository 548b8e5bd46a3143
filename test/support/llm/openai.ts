import { BAIT, bill, by, json, named, stream, unnamed } from "./shape.ts";

const chatUsage = {
  prompt_tokens: 1117,
  completion_tokens: 46,
  total_tokens: 1163,
  prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0, cache_write_tokens: 64 },
  completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 0 },
};

// Cached tokens are a part of the prompt, and reasoning is one of the completion.
const chat = by("gpt-5-mini", bill(1117, 46, 1024, 64));

export const chunk = (delta: object, finish: string | null = null) => ({
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

const responses = bill(328, 52, 128);

export const CHAT = json(
  "OpenAI's chat completion",
  {
    id: "chatcmpl-B9MBs8Cj",
    object: "chat.completion",
    created: 1741570283,
    model: "gpt-5-mini",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: BAIT, usage: { total_tokens: 8 } },
        finish_reason: "stop",
      },
    ],
    usage: chatUsage,
    service_tier: "default",
  },
  { ...chat, tiers: ["default"] },
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

export const OPENAI = [
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
    "OpenAI's embeddings",
    {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.0023, -0.0093] }],
      model: "text-embedding-3-small",
      usage: { prompt_tokens: 812, total_tokens: 812 },
    },
    // The total says that there is nothing beside the prompt.
    by("text-embedding-3-small", bill(812, 0)),
  ),
];
