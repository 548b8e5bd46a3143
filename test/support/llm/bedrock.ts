import { awsEvents, BAIT, bill, by, invokeEvents, json, type Shape } from "./shape.ts";

const converseUsage = {
  inputTokens: 38,
  outputTokens: 274,
  totalTokens: 6_512,
  cacheReadInputTokens: 5_600,
  cacheWriteInputTokens: 600,
  cacheDetails: [
    { ttl: "1h", inputTokens: 400 },
    { ttl: "5m", inputTokens: 200 },
  ],
};

// 38 + 5,600 + 600 of input.
const converse = { ...bill(6_238, 274, 5_600, 600), cacheWriteHourTokens: 400 };

export const BEDROCK: readonly Shape[] = [
  json(
    "Bedrock's conversation",
    {
      output: { message: { role: "assistant", content: [{ text: BAIT }] } },
      stopReason: "end_turn",
      usage: converseUsage,
      metrics: { latencyMs: 1_275 },
    },
    converse,
  ),
  {
    name: "the event stream of Bedrock's conversation",
    type: "application/vnd.amazon.eventstream",
    body: awsEvents(
      ["messageStart", { p: "abcdefgh", role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: BAIT }, p: "abc" }],
      ["messageStop", { p: "abcdefghijklm", stopReason: "end_turn" }],
      ["metadata", { metrics: { latencyMs: 1_275 }, p: "ab", usage: converseUsage }],
    ),
    usage: converse,
  },
  {
    name: "the event stream of Claude, invoked at Bedrock",
    type: "application/vnd.amazon.eventstream",
    body: invokeEvents(
      {
        type: "message_start",
        message: {
          model: "claude-sonnet-4-5-20250929",
          stop_reason: null,
          usage: {
            input_tokens: 12,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 9_000,
            output_tokens: 1,
          },
        },
      },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: BAIT } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 205 } },
      {
        type: "message_stop",
        "amazon-bedrock-invocationMetrics": {
          inputTokenCount: 12,
          outputTokenCount: 205,
          invocationLatency: 4_011,
          firstByteLatency: 612,
          cacheReadInputTokenCount: 9_000,
          cacheWriteInputTokenCount: 0,
        },
      },
    ),
    // 12 + 9,000 of input, told twice.
    usage: by("claude-sonnet-4-5-20250929", bill(9_012, 205, 9_000, 0)),
  },
  {
    name: "the event stream of Llama, invoked at Bedrock",
    type: "application/vnd.amazon.eventstream",
    body: invokeEvents(
      {
        generation: BAIT,
        prompt_token_count: 31,
        generation_token_count: 1,
        stop_reason: null,
      },
      { generation: "", prompt_token_count: null, generation_token_count: 88, stop_reason: null },
      {
        generation: "",
        prompt_token_count: null,
        generation_token_count: 89,
        stop_reason: "stop",
        "amazon-bedrock-invocationMetrics": {
          inputTokenCount: 31,
          outputTokenCount: 89,
          invocationLatency: 1_204,
          firstByteLatency: 190,
        },
      },
    ),
    usage: bill(31, 89),
  },
  json(
    "the answer of Llama, invoked at Bedrock",
    { generation: BAIT, prompt_token_count: 31, generation_token_count: 89, stop_reason: "stop" },
    bill(31, 89),
  ),
  json(
    "the answer of Titan, invoked at Bedrock",
    {
      inputTextTokenCount: 17,
      results: [{ tokenCount: 61, outputText: BAIT, completionReason: "FINISH" }],
    },
    bill(17, 61),
  ),
  {
    ...json(
      "the answer of Mistral, invoked at Bedrock",
      { outputs: [{ text: BAIT, stop_reason: "stop" }] },
      // The body tells nothing.
      bill(44, 132),
    ),
    headers: {
      "X-Amzn-Bedrock-Input-Token-Count": "44",
      "X-Amzn-Bedrock-Output-Token-Count": "132",
      "X-Amzn-Bedrock-Invocation-Latency": "1811",
    },
  },
];
