import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";

import { createLimiter, fixedWindow, memoryStore, refundable } from "../../src/index.ts";
import { type CutOffOptions, usageUpTo } from "../../src/llm.ts";
import { runs } from "../support/runs.ts";

afterEach(() => vi.restoreAllMocks());

const LIMIT = 1_000_000;
const INPUT = 40;

/** How one API streams an answer of words, each a token, and what ends one that was cut off. */
interface Api {
  readonly name: string;
  readonly begin: readonly object[];
  readonly word: (text: string, at: number) => object;
  readonly end: (words: number) => readonly object[];
  /** The events after those of the provider, of an answer of so many estimated tokens. */
  readonly cut: (last: number, tokens: number) => readonly (object | string)[];
}

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", model: "gpt-5-mini" };
const choice = (delta: object, finish_reason: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
});
const response = { id: "resp_1", object: "response", model: "gpt-5-mini" };

const APIS: readonly Api[] = [
  {
    name: "OpenAI's chat completions",
    begin: [choice({ role: "assistant", content: "" })],
    word: (content) => choice({ content }),
    end: (words) => [
      choice({}, "stop"),
      {
        ...head,
        choices: [],
        usage: { prompt_tokens: INPUT, completion_tokens: words, total_tokens: INPUT + words },
      },
    ],
    cut: () => [choice({}, "length"), "[DONE]"],
  },
  {
    name: "OpenAI's Responses",
    begin: [
      {
        type: "response.created",
        sequence_number: 0,
        response: { ...response, status: "in_progress" },
      },
    ],
    word: (delta, at) => ({ type: "response.output_text.delta", sequence_number: at + 1, delta }),
    end: (words) => [
      {
        type: "response.completed",
        response: {
          ...response,
          status: "completed",
          usage: { input_tokens: INPUT, output_tokens: words, total_tokens: INPUT + words },
        },
      },
    ],
    cut: (last) => [
      {
        type: "response.incomplete",
        sequence_number: last + 2,
        response: {
          ...response,
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
        },
      },
    ],
  },
  {
    name: "Anthropic's Messages",
    begin: [
      {
        type: "message_start",
        message: { id: "msg_1", usage: { input_tokens: INPUT, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    word: (text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    }),
    end: (words) => [
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: words },
      },
      { type: "message_stop" },
    ],
    cut: (_, tokens) => [
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "max_tokens", stop_sequence: null },
        usage: { output_tokens: tokens },
      },
      { type: "message_stop" },
    ],
  },
  {
    name: "Gemini's generateContent",
    begin: [],
    word: (text) => ({
      candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0 }],
      modelVersion: "gemini-3-flash",
      responseId: "r_1",
    }),
    end: (words) => [
      {
        candidates: [
          { content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 },
        ],
        usageMetadata: {
          promptTokenCount: INPUT,
          candidatesTokenCount: words,
          totalTokenCount: INPUT + words,
        },
      },
    ],
    cut: () => [
      {
        candidates: [
          {
            content: { parts: [{ text: "" }], role: "model" },
            finishReason: "MAX_TOKENS",
            index: 0,
          },
        ],
        modelVersion: "gemini-3-flash",
        responseId: "r_1",
      },
    ],
  },
];

const sse = (event: object) => `event: x\ndata: ${JSON.stringify(event)}\n\n`;

/** A provider that writes on while it is read, and bills each word that it has written. */
function providerOf(api: Api, words: number, perChunk: number, cutAt = 0) {
  const texts = [
    ...api.begin.map(sse),
    ...Array.from({ length: words }, (_, at) => sse(api.word("tide ", at))),
    ...api.end(words).map(sse),
  ];
  const state = { sent: 0, isCancelled: false };
  const bytes = new TextEncoder().encode(texts.join(""));
  const ends: number[] = [];
  for (const text of texts) ends.push((ends.at(-1) ?? 0) + text.length);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const events = Math.min(
          texts.length,
          ends.filter((end) => end <= state.sent).length + perChunk,
        );
        const to = Math.min(bytes.length, ends[events - 1]! + cutAt);
        controller.enqueue(bytes.subarray(state.sent, to));
        state.sent = to;
        if (to === bytes.length) controller.close();
      },
      cancel() {
        state.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const begun = () => ends.filter((_, i) => (ends[i - 1] ?? 0) < state.sent).length;
  return {
    response: new Response(body, { headers: { "Content-Type": "text/event-stream" } }),
    text: texts.join(""),
    state,
    billed: () => INPUT + Math.min(words, Math.max(0, begun() - api.begin.length)),
  };
}

async function answerOf(given: Response, options: CutOffOptions, reserved: number) {
  const tokens = fixedWindow({
    name: "tokens",
    limit: LIMIT,
    window: "1d",
    refundable: refundable(),
  });
  const limiter = createLimiter({ store: memoryStore(), policies: [tokens] });
  const hold = await limiter.reserve("ada", { cost: { tokens: reserved } });
  const ended: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void ended.push(promise);
  const text = await hold.stream(given, { usage: usageUpTo, waitUntil, ...options }).text();
  await Promise.all(ended);
  return { text, booked: LIMIT - (await limiter.peek("ada")).policies[0]!.remaining };
}

function eventsIn(text: string): readonly unknown[] {
  const events: unknown[] = [];
  const parser = createParser({
    onEvent: ({ data }) => void events.push(data === "[DONE]" ? data : JSON.parse(data)),
  });
  parser.feed(text);
  return events;
}

test.for(APIS)(
  "$name: a stream that is longer than reserved ends as its provider ends one",
  async (api) => {
    const provider = providerOf(api, 1_000, 1);
    const { text, booked } = await answerOf(
      provider.response,
      { outputTokens: 200, inFlight: 20 },
      INPUT + 200,
    );
    const events = eventsIn(text);
    const own = provider.text.slice(0, provider.state.sent);
    expect(text.startsWith(own)).toBe(true);
    const words = provider.billed() - INPUT;
    expect(words).toBeGreaterThan(80);
    expect(words).toBeLessThan(180);
    const tokens = Math.ceil(words * 2.1);
    expect(events.slice(api.begin.length + words)).toEqual(api.cut(words - 1, tokens));
    expect(provider.state.isCancelled).toBe(true);
    expect(booked).toBe(INPUT + Math.max(200, tokens + 20));
  },
);

test.for(APIS)(
  "$name: an answer within what is reserved passes as it is, and pays its usage",
  async (api) => {
    const provider = providerOf(api, 80, 3, 5);
    const { text, booked } = await answerOf(provider.response, { outputTokens: 300 }, INPUT + 300);
    expect(text).toBe(provider.text);
    expect(booked).toBe(INPUT + 80);
  },
);

/** One word for each event, beside `thoughts` tokens of reasoning that the stream does not show. */
const thinking = (api: Api, told: (words: number) => object): Api => ({
  ...api,
  word: (text, at) => ({ ...api.word(text, at), ...told(at + 1) }),
});

test.for([
  [
    "Gemini",
    thinking(APIS[3]!, (words) => ({
      usageMetadata: {
        promptTokenCount: INPUT,
        candidatesTokenCount: words,
        thoughtsTokenCount: 9 * words,
        totalTokenCount: INPUT + 10 * words,
      },
    })),
  ],
  [
    "a server that tells the tokens so far",
    thinking(APIS[0]!, (words) => ({
      usage: {
        prompt_tokens: INPUT,
        completion_tokens: 10 * words,
        total_tokens: INPUT + 10 * words,
      },
    })),
  ],
] as const)(
  "reasoning that %s tells as it goes counts, though no text shows it",
  async ([, api]) => {
    const provider = providerOf(api, 1_000, 1);
    const options = { outputTokens: 200, inFlight: 20 };
    const { booked } = await answerOf(provider.response, options, INPUT + 200);
    const words = provider.billed() - INPUT;
    expect(words).toBe(18);
    expect(booked).toBeGreaterThanOrEqual(INPUT + 10 * words);
  },
);

test("reasoning that nothing tells counts as much as is allowed", async () => {
  const provider = providerOf(APIS[0]!, 1_000, 1);
  const options = { outputTokens: 200, inFlight: 20, hidden: 100 };
  const { booked } = await answerOf(provider.response, options, INPUT + 200);
  // 100, and 2.1 for each of the words: 180 are too much.
  const words = provider.billed() - INPUT;
  expect(words).toBe(38);
  expect(booked).toBeGreaterThanOrEqual(INPUT + 100 + words);
});

test("the last chunk of an answer that ends in it is not cut", async () => {
  const provider = providerOf(APIS[2]!, 500, 1_000);
  const { text, booked } = await answerOf(provider.response, { outputTokens: 10 }, 100);
  expect([text === provider.text, booked]).toEqual([true, INPUT + 500]);
});

test("a response that is no stream of events passes as it is", async () => {
  const usage = { prompt_tokens: 40, completion_tokens: 500, total_tokens: 540 };
  const { text, booked } = await answerOf(Response.json({ usage }), { outputTokens: 10 }, 100);
  expect([JSON.parse(text), booked]).toEqual([{ usage }, 540]);
});

test("wherever a stream is cut, in whatever chunks, no less is booked than was billed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...APIS),
      fc.nat(400),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(30),
      fc.integer({ min: 1, max: 300 }),
      async (api, words, perChunk, cutAt, outputTokens) => {
        const provider = providerOf(api, words, perChunk, cutAt);
        const options = { outputTokens, inFlight: 10 };
        const { text, booked } = await answerOf(provider.response, options, INPUT + outputTokens);
        expect(booked).toBeGreaterThanOrEqual(provider.billed());
        // All events are whole.
        eventsIn(text);
      },
    ),
    { numRuns: runs(300) },
  );
});

test("where the cost of what was too much cannot be told, the hold ends at its reservation", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const provider = providerOf(APIS[0]!, 1_000, 100);
  const cost = () => {
    throw new Error("no price");
  };
  const { booked } = await answerOf(provider.response, { outputTokens: 50, cost }, 90);
  expect(booked).toBe(90);
});

test("options that are wrong are named, all at once", async () => {
  const options = { outputTokens: 0, inFlight: 1.5, hidden: -1 };
  await expect(answerOf(Response.json({}), options, 1)).rejects.toThrow(
    /outputTokens: 0[^]*inFlight: 1.5[^]*hidden: -1/,
  );
});
