import { isRecord } from "../options/record.ts";

/** The data of an event, as JSON. */
export type StreamEvent = Readonly<Record<string, unknown>>;

/** How one API streams an answer, and ends one that is cut off. */
export interface StreamEnding {
  /** Whether an event is of this API. */
  readonly is: (event: StreamEvent) => boolean;
  /** The text that an event adds to the answer, as its model writes it. */
  readonly text: (event: StreamEvent) => string;
  /** Whether an event says that the answer has ended. */
  readonly isEnd: (event: StreamEvent) => boolean;
  /**
   * The text of the events that end an answer at its greatest length.
   *
   * @param first the first event of the answer
   * @param last the last one that was passed on
   * @param outputTokens those of the answer so far, as far as they are known
   */
  readonly end: (first: StreamEvent, last: StreamEvent, outputTokens: number) => string;
}

const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const named = (type: string, event: object) => `event: ${type}\n${data({ type, ...event })}`;

const record = (value: unknown): StreamEvent => (isRecord(value) ? value : {});
const records = (value: unknown): readonly StreamEvent[] =>
  Array.isArray(value) ? value.map(record) : [];

/** Members of a delta that no model writes. */
const NOT_WRITTEN = new Set(["type", "id", "role", "signature"]);

/** The text that a model writes in a delta, at any depth. */
function writtenIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, inner]) => (NOT_WRITTEN.has(name) ? "" : writtenIn(inner)))
    .join("");
}

const CHAT: StreamEnding = {
  is: (event) => Array.isArray(event["choices"]),
  text: (event) => writtenIn(records(event["choices"]).map(({ delta, text }) => [delta, text])),
  isEnd: (event) =>
    records(event["choices"]).some(({ finish_reason }) => typeof finish_reason === "string"),
  end({ id, object, created, model }) {
    const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason: "length" }];
    return `${data({ id, object, created, model, choices })}data: [DONE]\n\n`;
  },
};

const RESPONSES: StreamEnding = {
  is: ({ type }) => typeof type === "string" && type.startsWith("response."),
  text: ({ delta }) => writtenIn(delta),
  isEnd: ({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(String(type)),
  end(first, { sequence_number: last }) {
    const response = {
      ...record(first["response"]),
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    };
    const sequence = typeof last === "number" ? { sequence_number: last + 1 } : {};
    return named("response.incomplete", { ...sequence, response });
  },
};

const ANTHROPIC: StreamEnding = {
  is: ({ type }) => typeof type === "string" && /^(?:message|content_block)_/.test(type),
  text: (event) => writtenIn([record(event["delta"]), record(event["content_block"])]),
  isEnd: ({ type, delta }) =>
    type === "message_stop" || typeof record(delta)["stop_reason"] === "string",
  end(_first, { type, index }, outputTokens) {
    const isOpen = type === "content_block_start" || type === "content_block_delta";
    const delta = { stop_reason: "max_tokens", stop_sequence: null };
    return [
      isOpen ? named("content_block_stop", { index }) : "",
      named("message_delta", { delta, usage: { output_tokens: outputTokens } }),
      named("message_stop", {}),
    ].join("");
  },
};

const GEMINI: StreamEnding = {
  is: (event) => Array.isArray(event["candidates"]),
  text: (event) =>
    writtenIn(records(event["candidates"]).map(({ content }) => record(content)["parts"])),
  isEnd: (event) =>
    records(event["candidates"]).some(({ finishReason }) => typeof finishReason === "string"),
  end({ modelVersion, responseId }) {
    const content = { parts: [{ text: "" }], role: "model" };
    return data({
      candidates: [{ content, finishReason: "MAX_TOKENS", index: 0 }],
      modelVersion,
      responseId,
    });
  },
};

/** The APIs whose streams can be cut off. */
export const STREAM_ENDINGS: readonly StreamEnding[] = [CHAT, RESPONSES, ANTHROPIC, GEMINI];
