/** Sessions over a socket, with made-up numbers in the structure that the providers send, and the bill of each turn by hand. */

/** What a turn costs: tokens in and out, of which so many are audio or cached. */
export interface Turn {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
}

/** OpenAI's Responses over WebSocket: each turn is answered by the events of a stream. */
export const answered = (id: string, { inputTokens, outputTokens, cachedTokens = 0 }: Turn) => [
  { type: "response.created", response: { id, status: "in_progress", usage: null } },
  { type: "response.output_text.delta", delta: 'as "usage": {"total_tokens": 9}' },
  {
    type: "response.completed",
    response: {
      id,
      status: "completed",
      usage: {
        input_tokens: inputTokens,
        input_tokens_details: { cached_tokens: cachedTokens },
        output_tokens: outputTokens,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: inputTokens + outputTokens,
      },
    },
  },
];

/** A turn that the provider has refused, as over WebSocket. */
export const REFUSED = {
  type: "error",
  status: 400,
  error: { code: "previous_response_not_found", message: "Not found." },
};

/** OpenAI's Realtime API: the cached tokens are of audio and text. */
export const spoken = (id: string, turn: Turn, status = "completed") => [
  { type: "response.created", response: { id, status: "in_progress", usage: null } },
  { type: "response.output_audio.delta", response_id: id, delta: "UklGRg==" },
  {
    type: "response.done",
    response: {
      id,
      status,
      usage: {
        total_tokens: turn.inputTokens + turn.outputTokens,
        input_tokens: turn.inputTokens,
        output_tokens: turn.outputTokens,
        input_token_details: {
          text_tokens: turn.inputTokens - (turn.audioInputTokens ?? 0),
          audio_tokens: turn.audioInputTokens ?? 0,
          image_tokens: 0,
          cached_tokens: turn.cachedTokens ?? 0,
          cached_tokens_details: { text_tokens: turn.cachedTokens ?? 0, audio_tokens: 0 },
        },
        output_token_details: {
          text_tokens: turn.outputTokens - (turn.audioOutputTokens ?? 0),
          audio_tokens: turn.audioOutputTokens ?? 0,
        },
      },
    },
  },
];

/** What another model has written down of a user's speech. */
export const TRANSCRIBED = {
  type: "conversation.item.input_audio_transcription.completed",
  item_id: "item_003",
  transcript: "When is high tide?",
  usage: {
    type: "tokens",
    total_tokens: 48,
    input_tokens: 38,
    input_token_details: { text_tokens: 10, audio_tokens: 28 },
    output_tokens: 10,
  },
};

/** Gemini's Live API: thoughts are beside the total. */
export const LIVE = [
  { serverContent: { modelTurn: { parts: [{ text: "At noon." }] } } },
  {
    serverContent: { turnComplete: true },
    usageMetadata: {
      promptTokenCount: 522,
      responseTokenCount: 42,
      totalTokenCount: 564,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 357 },
        { modality: "AUDIO", tokenCount: 165 },
      ],
      responseTokensDetails: [{ modality: "AUDIO", tokenCount: 42 }],
      thoughtsTokenCount: 136,
    },
  },
];

/** Nova Sonic: numbers of the session so far, and what has come since the event before. */
export function novaUsage(
  speechIn: number,
  textIn: number,
  speechOut: number,
  textOut: number,
  delta = {
    input: { speechTokens: speechIn, textTokens: 0 },
    output: { speechTokens: 0, textTokens: 0 },
  },
) {
  const total = {
    input: { speechTokens: speechIn, textTokens: textIn },
    output: { speechTokens: speechOut, textTokens: textOut },
  };
  const totals = {
    totalInputTokens: speechIn + textIn,
    totalOutputTokens: speechOut + textOut,
    totalTokens: speechIn + textIn + speechOut + textOut,
  };
  const names = { completionId: "c_1", promptName: "p_1", sessionId: "s_1" };
  return { event: { usageEvent: { ...names, details: { delta, total }, ...totals } } };
}

export const NOVA_TURN_ENDED = {
  event: { completionEnd: { completionId: "c_1", stopReason: "END_TURN" } },
};
