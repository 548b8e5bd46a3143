import { chunk as chunkOf } from "./openai.ts";
import { BAIT, bill, by, json, lines, named, stream, unnamed } from "./shape.ts";

const reasoned = {
  prompt_tokens: 279,
  completion_tokens: 6,
  total_tokens: 1_374,
  prompt_tokens_details: { text_tokens: 279, audio_tokens: 0, image_tokens: 0, cached_tokens: 151 },
  completion_tokens_details: { reasoning_tokens: 1_089, audio_tokens: 0 },
  num_sources_used: 0,
};

const XAI = json(
  "xAI's chat completion",
  {
    object: "chat.completion",
    model: "grok-4",
    choices: [{ index: 0, message: { role: "assistant", content: BAIT }, finish_reason: "stop" }],
    usage: reasoned,
  },
  // Reasoning is beside the completion: 279 + 6 + 1,089 is the total.
  by("grok-4", bill(279, 1_095, 151)),
);

const MODEL = "kimi-k2.5";

const chunk = (delta: object, finish?: string) => ({ ...chunkOf(delta, finish), model: MODEL });

const deltas = [chunk({ role: "assistant", content: "" }), chunk({ content: BAIT })];

const counted = { prompt_tokens: 95, completion_tokens: 2_040, total_tokens: 2_135 };

const routed = {
  prompt_tokens: 3_400,
  completion_tokens: 210,
  total_tokens: 3_610,
  cost: 0.004_71,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: 3_000, cache_write_tokens: 120, audio_tokens: 0 },
  cost_details: { upstream_inference_cost: null, upstream_inference_prompt_cost: 0.001_56 },
  completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
};

// Cached and written tokens are parts of the prompt.
const routedBill = by("anthropic/claude-sonnet-4.6", bill(3_400, 210, 3_000, 120), {
  costMicroDollars: 4_710,
});

const LIKE_OPENAI = [
  stream(
    "the stream of Moonshot's chat completion",
    unnamed(...deltas, {
      ...chunk({}),
      choices: [
        { index: 0, delta: {}, finish_reason: "stop", usage: { ...counted, cached_tokens: 64 } },
      ],
    }),
    by(MODEL, bill(95, 2_040, 64)),
  ),
  stream(
    "the stream of Groq's chat completion",
    unnamed(...deltas, {
      ...chunk({}, "stop"),
      x_groq: {
        id: "req_01",
        usage: { ...counted, queue_time: 0.02, prompt_time: 0.004, total_time: 0.61 },
      },
    }),
    by(MODEL, bill(95, 2_040)),
  ),
  stream(
    "the stream of Mistral's chat completion",
    unnamed(...deltas, { ...chunk({ content: "" }, "stop"), usage: counted }),
    by(MODEL, bill(95, 2_040)),
  ),
  json(
    "Mistral's chat completion with a cached prompt",
    {
      id: "cmpl-e5cc70bb",
      object: "chat.completion",
      model: "mistral-large-latest",
      choices: [{ index: 0, message: { role: "assistant", content: BAIT }, finish_reason: "stop" }],
      usage: {
        ...counted,
        prompt_audio_seconds: null,
        prompt_tokens_details: { cached_tokens: 64 },
      },
    },
    // The cached part is in the prompt.
    by("mistral-large-latest", bill(95, 2_040, 64)),
  ),
  json(
    "OpenRouter's chat completion",
    {
      id: "gen-1790000000-a",
      provider: "Anthropic",
      model: "anthropic/claude-sonnet-4.6",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: BAIT }, finish_reason: "stop" }],
      usage: routed,
    },
    routedBill,
  ),
  stream(
    "the stream of OpenRouter's chat completion",
    `: OPENROUTER PROCESSING\n\n${unnamed(...deltas, chunk({}, "stop"), {
      ...chunk({}),
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
      usage: routed,
    })}`,
    { ...routedBill, models: [MODEL] },
  ),
  stream(
    "the stream of a server that tells the tokens so far with each chunk",
    unnamed(
      { ...deltas[0], usage: { prompt_tokens: 95, completion_tokens: 0, total_tokens: 95 } },
      { ...deltas[1], usage: { prompt_tokens: 95, completion_tokens: 700, total_tokens: 795 } },
      { ...chunk({}, "stop"), usage: counted },
      { ...chunk({}), choices: [], usage: counted },
    ),
    by(MODEL, bill(95, 2_040)),
  ),
  json(
    "DeepSeek's chat completion",
    {
      choices: [{ index: 0, message: { role: "assistant", content: BAIT }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 640,
        completion_tokens: 33,
        total_tokens: 673,
        prompt_cache_hit_tokens: 512,
        prompt_cache_miss_tokens: 128,
      },
    },
    bill(640, 33, 512),
  ),
  json(
    "Workers AI's run",
    { result: { response: BAIT, usage: counted }, success: true, errors: [], messages: [] },
    bill(95, 2_040),
  ),
  stream(
    "the stream of Workers AI's run",
    unnamed(
      { response: BAIT, p: "abcdefghijklmnopq" },
      { response: "", usage: { ...counted, prompt_tokens_details: { cached_tokens: 0 } } },
    ),
    bill(95, 2_040, 0),
  ),
];

const cohereUsage = {
  billed_units: { input_tokens: 17, output_tokens: 96 },
  tokens: { input_tokens: 83, output_tokens: 99 },
  cached_tokens: 0,
};

// What was processed, which is never less than what is billed.
const cohere = bill(83, 99, 0);

const COHERE = [
  json(
    "Cohere's chat",
    {
      id: "c14c80c3-18eb-4519-9460-6c92edd8cfb4",
      finish_reason: "COMPLETE",
      message: { role: "assistant", content: [{ type: "text", text: BAIT }] },
      usage: cohereUsage,
    },
    cohere,
  ),
  stream(
    "the stream of Cohere's chat",
    named(
      { type: "message-start", delta: { message: { role: "assistant", content: [] } } },
      {
        type: "content-delta",
        index: 0,
        delta: { message: { content: { text: BAIT } } },
      },
      { type: "message-end", delta: { finish_reason: "COMPLETE", usage: cohereUsage } },
    ),
    cohere,
  ),
];

const said = (content: string, more: object) => ({
  model: "gemma3",
  created_at: "2026-02-11T09:30:00.123Z",
  message: { role: "assistant", content },
  ...more,
});

const counts = { total_duration: 4_648_158_584, prompt_eval_count: 26, eval_count: 298 };

const OLLAMA = [
  lines(
    "the stream of Ollama's chat",
    [said(BAIT, { done: false }), said("", { done: true, done_reason: "stop", ...counts })],
    by("gemma3", bill(26, 298)),
  ),
  json(
    "Ollama's chat",
    said(BAIT, { done: true, done_reason: "stop", ...counts }),
    by("gemma3", bill(26, 298)),
  ),
];

export const OTHERS = [XAI, ...LIKE_OPENAI, ...COHERE, ...OLLAMA];
