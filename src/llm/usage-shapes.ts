/** The meaning of a number in a usage. Every counter is of the whole answer so far, so a later number is never smaller. */
export type Role =
  /** The whole input. */
  | "prompt"
  /** The input but for the part that was read from a cache or written to one. */
  | "input"
  /** A part of `prompt` or `input` that was read from a cache, or written to one. */
  | "cached"
  | "written"
  /** Tokens read from a cache or written to one, beside `input`; `writtenParts` are summed. */
  | "cacheRead"
  | "cacheWrite"
  | "writtenParts"
  /** Input of tools beside all others. */
  | "tools"
  /** The answer. */
  | "output"
  /** Reasoning beside `output`. */
  | "thoughts"
  /** Reasoning that is a part of `output` at some providers and beside it at others: the total says which. */
  | "reasoning"
  | "total"
  /** Seconds of audio, where these are billed in place of tokens. */
  | "seconds"
  /** A part of another number, which adds nothing to it. */
  | "part";

/** The parts of a price beside the numbers of tokens. */
export type PricedPart =
  /** Tokens written to a cache for an hour. */
  | "hour"
  | "audioInput"
  | "audioOutput"
  /** A number, the items of a list, or different texts. */
  | "searches"
  | "containers"
  | "model"
  | "tier"
  /** The whole price, in dollars and in units of which a dollar has 10^10. */
  | "dollars"
  | "ticks";

/** How one API tells the tokens of an answer. */
export interface UsageShape {
  /** The paths of usages in a document: in a whole body, or in an event of a stream. `[]` is each item of a list. */
  readonly usage: readonly string[];
  /** The paths of usages of other models, whose numbers are beside those of all others. */
  readonly beside?: readonly string[];
  /** The meanings of the numbers of a usage, by their paths in it. */
  readonly counts: Readonly<Record<string, Role>>;
  /**
   * The paths of what says that the answer has ended. A usage is of the whole answer if its document says so, or the body has ended
   * and its document does not leave it open: one of these paths is there but for the last name.
   */
  readonly ends?: readonly string[];
  /**
   * The parts of a price, by their paths in a usage. `[name=value]` are the items of a list that have such a member; they count
   * themselves if no name follows.
   */
  readonly priced?: Readonly<Record<string, PricedPart>>;
  /** The same by its path in a document. */
  readonly decides?: Readonly<Record<string, PricedPart>>;
  /** The header fields of a response that tell numbers of its first usage, beside its body. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The numbers of Anthropic, which counts the parts of the input apart. */
const ANTHROPIC: Readonly<Record<string, Role>> = {
  input_tokens: "input",
  output_tokens: "output",
  cache_creation_input_tokens: "cacheWrite",
  cache_read_input_tokens: "cacheRead",
  "cache_creation.ephemeral_5m_input_tokens": "writtenParts",
  "cache_creation.ephemeral_1h_input_tokens": "writtenParts",
  "output_tokens_details.thinking_tokens": "part",
};

/** OpenAI counts so many tokens for a second of what a user says. */
export const TOKENS_A_SECOND = 10;

/** The path of a usage that is beside all others, wherever it stands. */
export const BESIDE = "beside.";

/** One for each time that a model was sampled for the answer. */
export const ITERATIONS = "iterations[].";

/** The types of iterations, and whether the numbers beside the list count them, too. */
export const ITERATION_TYPES: Readonly<Record<string, "answer" | "beside">> = {
  message: "answer",
  fallback_message: "answer",
  compaction: "beside",
  advisor_message: "beside",
};

/** A part by its path in a response, which is in an event of a stream, too. */
const inResponses = (path: string, part: PricedPart): Readonly<Record<string, PricedPart>> => ({
  [path]: part,
  [`response.${path}`]: part,
});

/**
 * The APIs whose usages are read. A name counts the same in the usage of every API, because many providers answer in the form of
 * another one, with some names more.
 */
export const USAGE_SHAPES: Readonly<Record<string, UsageShape>> = {
  "OpenAI's chat completions, and those like it": {
    usage: [
      "usage",
      "choices[].usage",
      "x_groq.usage",
      "result.usage",
      "usage_breakdown.models[].usage",
    ],
    counts: {
      prompt_tokens: "prompt",
      completion_tokens: "output",
      total_tokens: "total",
      "prompt_tokens_details.cached_tokens": "cached",
      "prompt_tokens_details.cache_write_tokens": "written",
      "completion_tokens_details.reasoning_tokens": "reasoning",
      cached_tokens: "cached",
      prompt_cache_hit_tokens: "cached",
      prompt_cache_miss_tokens: "part",
      connector_tokens: "tools",
    },
    ends: ["choices[].finish_reason"],
    priced: {
      "prompt_tokens_details.audio_tokens": "audioInput",
      "completion_tokens_details.audio_tokens": "audioOutput",
      num_sources_used: "searches",
      num_search_queries: "searches",
      num_server_side_tools_used: "searches",
      "plugins.search.count": "searches",
      "connectors.web_search": "searches",
      "connectors.web_search_premium": "searches",
      "connectors.code_interpreter": "searches",
      "connectors.image_generation": "searches",
      cost: "dollars",
      "cost.total_cost": "dollars",
      cost_in_usd_ticks: "ticks",
    },
    decides: {
      model: "model",
      service_tier: "tier",
      "usage_breakdown.models[].model": "model",
    },
  },
  "OpenAI's Responses": {
    usage: ["usage", "response.usage"],
    beside: ["tool_usage.image_gen", "response.tool_usage.image_gen"],
    counts: {
      input_tokens: "input",
      output_tokens: "output",
      total_tokens: "total",
      "input_tokens_details.cached_tokens": "cached",
      "input_tokens_details.cache_write_tokens": "written",
      "output_tokens_details.reasoning_tokens": "reasoning",
    },
    ends: ["type", "status", "response.status"],
    priced: {
      "input_tokens_details.audio_tokens": "audioInput",
      "output_tokens_details.audio_tokens": "audioOutput",
    },
    decides: {
      ...inResponses("output[type=web_search_call]", "searches"),
      ...inResponses("output[type=file_search_call]", "searches"),
      ...inResponses("output[type=code_interpreter_call].container_id", "containers"),
      ...inResponses("tool_usage.web_search.num_requests", "searches"),
      "response.model": "model",
      "response.service_tier": "tier",
    },
  },
  "OpenAI's Realtime": {
    usage: ["usage", "response.usage"],
    counts: { "input_token_details.cached_tokens": "cached", seconds: "seconds" },
    priced: {
      "input_token_details.audio_tokens": "audioInput",
      "output_token_details.audio_tokens": "audioOutput",
    },
  },
  "Anthropic's Messages": {
    usage: ["usage", "message.usage"],
    counts: {
      ...ANTHROPIC,
      ...Object.fromEntries(
        Object.entries(ANTHROPIC).map(([name, role]) => [ITERATIONS + name, role]),
      ),
    },
    ends: ["message.stop_reason", "delta.stop_reason"],
    priced: {
      "cache_creation.ephemeral_1h_input_tokens": "hour",
      "iterations[].cache_creation.ephemeral_1h_input_tokens": "hour",
      "iterations[].model": "model",
      "server_tool_use.web_search_requests": "searches",
      service_tier: "tier",
      speed: "tier",
      inference_geo: "tier",
    },
    decides: { "message.model": "model" },
  },
  "Gemini's generateContent": {
    usage: ["usageMetadata"],
    counts: {
      promptTokenCount: "prompt",
      cachedContentTokenCount: "cached",
      toolUsePromptTokenCount: "tools",
      candidatesTokenCount: "output",
      responseTokenCount: "output",
      thoughtsTokenCount: "thoughts",
      totalTokenCount: "total",
    },
    ends: ["candidates[].finishReason"],
    priced: {
      "promptTokensDetails[modality=AUDIO].tokenCount": "audioInput",
      "candidatesTokensDetails[modality=AUDIO].tokenCount": "audioOutput",
      "responseTokensDetails[modality=AUDIO].tokenCount": "audioOutput",
      trafficType: "tier",
      serviceTier: "tier",
    },
    decides: {
      modelVersion: "model",
      "candidates[].groundingMetadata.webSearchQueries[]": "searches",
    },
  },
  "Gemini's Interactions": {
    usage: ["usage", "interaction.usage"],
    counts: {
      total_input_tokens: "prompt",
      initial_input_tokens: "part",
      total_cached_tokens: "cached",
      total_tool_use_tokens: "tools",
      total_output_tokens: "output",
      total_thought_tokens: "thoughts",
      total_tokens: "total",
      totalInputTokens: "prompt",
      totalCachedTokens: "cached",
      totalToolUseTokens: "tools",
      totalOutputTokens: "output",
      totalThoughtTokens: "thoughts",
    },
    ends: ["event_type", "status", "interaction.status"],
    priced: {
      "input_tokens_by_modality[modality=audio].tokens": "audioInput",
      "output_tokens_by_modality[modality=audio].tokens": "audioOutput",
      "grounding_tool_count[].count": "searches",
    },
    decides: { "interaction.model": "model", "interaction.service_tier": "tier" },
  },
  "Bedrock's Converse": {
    usage: ["usage"],
    counts: {
      inputTokens: "input",
      outputTokens: "output",
      cacheReadInputTokens: "cacheRead",
      cacheWriteInputTokens: "cacheWrite",
      "cacheDetails[].inputTokens": "writtenParts",
      totalTokens: "total",
    },
    ends: ["metrics.latencyMs"],
    priced: { "cacheDetails[ttl=1h].inputTokens": "hour" },
    decides: { "serviceTier.type": "tier", "performanceConfig.latency": "tier" },
  },
  "Nova Sonic": {
    usage: ["event.usageEvent"],
    counts: { totalInputTokens: "prompt", totalOutputTokens: "output", totalTokens: "total" },
    priced: {
      "details.total.input.speechTokens": "audioInput",
      "details.total.output.speechTokens": "audioOutput",
    },
  },
  "Bedrock's InvokeModel": {
    usage: ["amazon-bedrock-invocationMetrics"],
    counts: {
      inputTokenCount: "input",
      outputTokenCount: "output",
      cacheReadInputTokenCount: "cacheRead",
      cacheWriteInputTokenCount: "cacheWrite",
    },
    headers: {
      "x-amzn-bedrock-input-token-count": "inputTokenCount",
      "x-amzn-bedrock-output-token-count": "outputTokenCount",
      "x-amzn-bedrock-cache-read-input-token-count": "cacheReadInputTokenCount",
      "x-amzn-bedrock-cache-write-input-token-count": "cacheWriteInputTokenCount",
    },
  },
  "InvokeModel of Llama and Titan": {
    usage: [""],
    counts: {
      prompt_token_count: "prompt",
      generation_token_count: "output",
      inputTextTokenCount: "prompt",
      "results[].tokenCount": "output",
      totalOutputTextTokenCount: "output",
    },
    ends: ["stop_reason", "completionReason", "results[].completionReason"],
  },
  "Cohere's chat": {
    usage: ["usage", "delta.usage"],
    counts: {
      "billed_units.input_tokens": "prompt",
      "billed_units.output_tokens": "output",
      "tokens.input_tokens": "prompt",
      "tokens.output_tokens": "output",
    },
    ends: ["type", "delta.finish_reason"],
  },
  "Ollama's chat and generate": {
    usage: [""],
    counts: { prompt_eval_count: "prompt", eval_count: "output" },
    ends: ["done"],
  },
};
