import { BAIT, bill, by, json, named, stream } from "./shape.ts";

const toolUse = {
  type: "tool_use",
  id: "toolu_01",
  name: "bill",
  input: { usage: { input_tokens: 5, output_tokens: 5 }, message: { usage: { input_tokens: 6 } } },
};

const usage = {
  input_tokens: 2095,
  cache_creation_input_tokens: 248,
  cache_read_input_tokens: 1800,
  cache_creation: { ephemeral_5m_input_tokens: 248, ephemeral_1h_input_tokens: 0 },
  output_tokens: 503,
  output_tokens_details: { thinking_tokens: 211 },
  service_tier: "standard",
};

// 2,095 + 248 + 1,800 of input.
const billed = by("claude-sonnet-4-5", bill(4143, 503, 1800, 248), { tiers: ["standard"] });

/** The usage in a stream before the answer is complete. */
export const ANTHROPIC_START = {
  ...billed,
  outputTokens: 1,
  totalTokens: 4144,
  complete: false,
};

const message = (content: readonly object[], stopReason: string | null, usage: object) => ({
  id: "msg_1nZdL29xx5MUA1yADyHTEsnR",
  type: "message",
  role: "assistant",
  content,
  model: "claude-sonnet-4-5",
  stop_reason: stopReason,
  stop_sequence: null,
  usage,
});

const text = { type: "text", text: BAIT };

/** The events of a stream that begins and ends with these usages. */
const events = (first: object, last: object) =>
  named(
    { type: "message_start", message: message([], null, first) },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: BAIT } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: last,
    },
    { type: "message_stop" },
  );

export const ANTHROPIC_STREAM = stream(
  "the stream of Anthropic's message",
  events({ ...usage, output_tokens: 1 }, { output_tokens: 503, input_tokens: null }),
  billed,
);

const compacted = {
  input_tokens: 7_000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 750,
  iterations: [
    {
      type: "compaction",
      input_tokens: 9_600,
      cache_creation_input_tokens: 400,
      cache_read_input_tokens: 40_000,
      output_tokens: 2_000,
    },
    {
      type: "message",
      model: null,
      input_tokens: 7_000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 750,
    },
  ],
};

// The compaction, 50,000 and 2,000, is not in the numbers beside the list: 57,000 and 2,750.
const compaction = by("claude-sonnet-4-5", bill(57_000, 2_750, 40_000, 400));

export const ANTHROPIC = [
  json("Anthropic's message", message([text, toolUse], "tool_use", usage), billed),
  ANTHROPIC_STREAM,
  json(
    "Anthropic's message after a compaction",
    message([text], "end_turn", compacted),
    compaction,
  ),
  stream(
    "the stream of Anthropic's message after a compaction",
    events({ input_tokens: 7_000, output_tokens: 1, iterations: null }, compacted),
    compaction,
  ),
  json(
    "Anthropic's message with the advice of another model",
    message([text], "end_turn", {
      // The input of the first iteration, and the output of both of the message.
      input_tokens: 412,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      output_tokens: 620,
      iterations: [
        { type: "message", input_tokens: 412, output_tokens: 89 },
        {
          type: "advisor_message",
          model: "claude-opus-4-8",
          input_tokens: 823,
          output_tokens: 1_612,
        },
        { type: "message", input_tokens: 1_348, output_tokens: 531 },
      ],
    }),
    // 412 + 1,348 + 823, and 620 + 1,612.
    { ...bill(2_583, 2_232), models: ["claude-opus-4-8", "claude-sonnet-4-5"] },
  ),
  json(
    "Anthropic's message of a second model after a first one that declined",
    message([text], "end_turn", {
      input_tokens: 530,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 1_200,
      output_tokens: 310,
      iterations: [
        {
          type: "message",
          model: "claude-fable-5",
          input_tokens: 520,
          cache_creation_input_tokens: 1_000,
          cache_read_input_tokens: 0,
          output_tokens: 57,
        },
        {
          type: "fallback_message",
          model: "claude-opus-4-8",
          input_tokens: 530,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 1_200,
          output_tokens: 310,
        },
      ],
    }),
    // Each attempt with output is billed: 520 + 1,000 and 530 + 1,200; 57 and 310.
    {
      ...bill(3_250, 367, 1_200, 1_000),
      models: ["claude-fable-5", "claude-opus-4-8", "claude-sonnet-4-5"],
    },
  ),
];
