import { BAIT, bill, by, json, named, stream, unnamed } from "./shape.ts";

const part = (text: string, finish: object = {}) => [
  { content: { parts: [{ text }], role: "model" }, index: 0, ...finish },
];

const ENDED = { finishReason: "STOP" };

const usageMetadata = {
  promptTokenCount: 2_731,
  candidatesTokenCount: 194,
  totalTokenCount: 4_606,
  cachedContentTokenCount: 2_048,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 2_215 },
    { modality: "IMAGE", tokenCount: 516 },
  ],
  cacheTokensDetails: [{ modality: "TEXT", tokenCount: 2_048 }],
  toolUsePromptTokenCount: 640,
  toolUsePromptTokensDetails: [{ modality: "TEXT", tokenCount: 640 }],
  thoughtsTokenCount: 1_041,
  trafficType: "ON_DEMAND",
};

// 2,731 + 640 of input, and 194 + 1,041 of output: the total.
const billed = by("gemini-3-flash", bill(3_371, 1_235, 2_048), { tiers: ["ON_DEMAND"] });

/** The chunks of a stream, of which each tells the tokens so far. */
export const GEMINI_CHUNKS = [
  {
    candidates: part(""),
    usageMetadata: { promptTokenCount: 2_731, totalTokenCount: 2_731 },
    modelVersion: "gemini-3-flash",
  },
  {
    candidates: part(BAIT),
    usageMetadata: {
      promptTokenCount: 2_731,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 1_041,
      totalTokenCount: 3_792,
    },
    modelVersion: "gemini-3-flash",
  },
  { candidates: part("", ENDED), usageMetadata, modelVersion: "gemini-3-flash" },
];

const events = (...data: readonly object[]) => unnamed(...data).replace("data: [DONE]\n\n", "");

const interaction = (status: string, more: object) => ({
  id: "v1_ChdPU0F4YWFtNkFwS2kxZThQZ01lbXdROBIX",
  object: "interaction",
  model: "gemini-3-flash",
  status,
  ...more,
});

const interactionUsage = {
  total_input_tokens: 31_400,
  initial_input_tokens: 900,
  input_tokens_by_modality: [{ modality: "text", tokens: 31_400 }],
  total_cached_tokens: 0,
  total_output_tokens: 1_150,
  output_tokens_by_modality: [{ modality: "text", tokens: 1_150 }],
  total_tool_use_tokens: 2_200,
  total_thought_tokens: 3_050,
  total_tokens: 37_800,
  grounding_tool_count: [{ type: "google_search", count: 4 }],
};

// 31,400 + 2,200 of input, and 1,150 + 3,050 of output: the total.
const interactionBill = by("gemini-3-flash", bill(33_600, 4_200, 0), { searches: 4 });

export const GEMINI_STREAM = stream(
  "the event stream of Gemini's content",
  events(...GEMINI_CHUNKS),
  billed,
);

export const GOOGLE = [
  json(
    "Gemini's content",
    { candidates: part(BAIT, ENDED), usageMetadata, modelVersion: "gemini-3-flash" },
    billed,
  ),
  json("the list of chunks of Gemini's content", GEMINI_CHUNKS, billed),
  GEMINI_STREAM,
  json(
    "Gemini's content that thinking has used up",
    {
      candidates: [{ finishReason: "MAX_TOKENS", index: 0 }],
      // A number that is 0 is left out.
      usageMetadata: { promptTokenCount: 12, thoughtsTokenCount: 988, totalTokenCount: 1_000 },
    },
    bill(12, 988),
  ),
  json(
    "Gemini's interaction",
    interaction("completed", {
      steps: [{ type: "model_output", content: [{ type: "text", text: BAIT }] }],
      usage: interactionUsage,
    }),
    interactionBill,
  ),
  stream(
    "the stream of Gemini's interaction",
    named(
      { type: "interaction.created", interaction: interaction("in_progress", {}) },
      { type: "step.delta", index: 0, delta: { type: "text", text: BAIT } },
      {
        type: "interaction.completed",
        interaction: interaction("completed", { usage: interactionUsage }),
      },
    ),
    interactionBill,
  ),
  json(
    "an interaction with Vertex's names",
    interaction("completed", {
      usage: {
        totalInputTokens: 700,
        totalOutputTokens: 90,
        totalThoughtTokens: 210,
        totalToolUseTokens: 0,
        totalCachedTokens: 512,
        totalTokens: 1_000,
      },
    }),
    by("gemini-3-flash", bill(700, 300, 512)),
  ),
];
