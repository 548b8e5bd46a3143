import { APICallError, generateText, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { beforeEach, describe, expect, test } from "vitest";

import { refundable } from "../../src/index.ts";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type ReservingLimiter,
  type Policy,
  memoryStore,
} from "../../src/index.ts";
import { type LimitedCallError, limitModel, type LimitModelOptions } from "../../src/llm.ts";

const USAGE = {
  inputTokens: { total: 300, noCache: 200, cacheRead: 100, cacheWrite: undefined },
  outputTokens: { total: 500, text: 450, reasoning: 50 },
};
const FINISH = { unified: "stop", raw: undefined } as const;

const PARTS = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "High " },
  { type: "text-delta", id: "1", delta: "tide." },
  { type: "text-end", id: "1" },
  { type: "finish", finishReason: FINISH, usage: USAGE },
] as const;

const tokens = { name: "tokens", limit: 10_000, window: "1d", refundable: refundable() } as const;
const limiterOf = (...policies: Policy[]) =>
  createLimiter<Policy>({ store: memoryStore(), policies });

let limiter: ReservingLimiter;
beforeEach(() => {
  limiter = limiterOf(fixedWindow(tokens));
});

const left = async () => (await limiter.peek("ada")).policies[0]!.remaining;

/** A model that answers like this. */
function modelOf(
  answers: ConstructorParameters<typeof MockLanguageModelV4>[0],
  options: Partial<LimitModelOptions> = {},
) {
  const model = new MockLanguageModelV4(answers);
  const middleware = limitModel(limiter, {
    identity: "ada",
    estimate: (tokens) => ({ tokens }),
    ...options,
  });
  return { model: wrapLanguageModel({ model, middleware }), calls: model };
}

const whole = {
  doGenerate: async () => ({
    content: [{ type: "text", text: "High tide." }],
    finishReason: FINISH,
    usage: USAGE,
    warnings: [],
  }),
  doStream: async () => ({ stream: simulateReadableStream({ chunks: [...PARTS] }) }),
} as ConstructorParameters<typeof MockLanguageModelV4>[0];

const prompt = "How high is the tide?";
const asked = { prompt, maxOutputTokens: 4_000, maxRetries: 0 };

describe("generateText()", () => {
  test("reserves an estimate before the model is asked, and settles by its usage", async () => {
    let during = 0;
    const { model } = modelOf({
      ...whole,
      doGenerate: async () => {
        during = await left();
        return (whole!.doGenerate as () => never)();
      },
    });
    expect((await generateText({ ...asked, model })).text).toBe("High tide.");
    expect(10_000 - during).toBeGreaterThan(4_000);
    expect(10_000 - during).toBeLessThan(4_060);
    expect(await left()).toBe(9_200);
  });

  test("settles at the cost that is made of the usage", async () => {
    const { model } = modelOf(whole, {
      cost: ({ totalTokens, cachedTokens = 0 }) => ({ tokens: totalTokens - cachedTokens }),
    });
    await generateText({ ...asked, model });
    expect(await left()).toBe(9_300);
  });

  test("gives back the reservation of a call that fails, and keeps it where the caller has aborted", async () => {
    const failing = { doGenerate: () => Promise.reject(new Error("planned")) };
    await expect(generateText({ ...asked, ...modelOf(failing) })).rejects.toThrow("planned");
    expect(await left()).toBe(10_000);
    const aborted = new AbortController();
    const { model } = modelOf({
      doGenerate: () => {
        aborted.abort();
        return Promise.reject(aborted.signal.reason as Error);
      },
    });
    const { signal: abortSignal } = aborted;
    await expect(generateText({ ...asked, model, abortSignal })).rejects.toThrow("abort");
    expect(await left()).toBeLessThan(6_000);
  });

  test("of which the estimate has no room is denied as a provider denies, and asks no model", async () => {
    const { model, calls } = modelOf(whole);
    await limiter.charge("ada", { tokens: 9_000 });
    const error: unknown = await generateText({ ...asked, model }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: false,
      message: expect.stringMatching(
        /^The call may cost more than the 1000 units left\. Try again in /,
      ),
    });
    const { decision, responseHeaders } = error as LimitedCallError;
    expect(decision.allowed).toBe(false);
    // By this field the SDK waits.
    const seconds = Math.ceil(decision.retryAfterMs / 1000);
    expect(responseHeaders["retry-after"]).toBe(String(seconds));
    expect(calls.doGenerateCalls).toEqual([]);
  });

  test("waits as long as the denial says, and tries again", async () => {
    limiter = limiterOf(fixedWindow({ ...tokens, limit: 5_000, window: "1s", aligned: false }));
    await limiter.charge("ada", { tokens: 5_000 });
    const { model, calls } = modelOf(whole);
    const { text } = await generateText({ ...asked, model, maxRetries: 2 });
    expect(text).toBe("High tide.");
    expect(calls.doGenerateCalls).toHaveLength(1);
  });

  test("never has an estimate above `atMost`, and does not count a file by its bytes", async () => {
    const seen: number[] = [];
    const { model: bounded } = modelOf(whole, {
      atMost: 2_000,
      estimate: (tokens) => {
        seen.push(tokens);
        return { tokens };
      },
    });
    await generateText({ ...asked, model: bounded });
    const file = {
      type: "file",
      data: new Uint8Array(1_000_000),
      mediaType: "image/png",
    } as const;
    await generateText({
      model: bounded,
      maxOutputTokens: 100,
      messages: [{ role: "user", content: [file, { type: "text", text: prompt }] }],
    });
    expect(seen[0]).toBe(2_000);
    // One of a million pixels, as its bytes tell no size.
    expect(seen[1]).toBeGreaterThan(1_659);
    expect(seen[1]).toBeLessThan(1_900);
  });
});

describe("the estimate", () => {
  const TEXT = "High tide is at noon. ".repeat(1_000);

  async function estimated(call: object): Promise<number> {
    let during = 0;
    const doGenerate = async () => {
      during = await left();
      throw new Error("planned");
    };
    const middleware = limitModel(limiter, { identity: "ada", estimate: (tokens) => ({ tokens }) });
    await middleware
      .wrapGenerate({ doGenerate, params: { prompt: [], maxOutputTokens: 1, ...call } })
      .catch(() => undefined);
    return 10_000 - during;
  }

  test.for([
    ["a message", { prompt: [{ role: "user", content: [{ type: "text", text: TEXT }] }] }],
    ["a tool", { tools: [{ type: "function", name: "a", description: TEXT, inputSchema: {} }] }],
    ["the schema of the answer", { responseFormat: { type: "json", schema: { title: TEXT } } }],
    [
      "a tool's result",
      {
        prompt: [
          {
            role: "tool",
            content: [{ type: "tool-result", output: { type: "text", value: TEXT } }],
          },
        ],
      },
    ],
    [
      "a file of text",
      {
        prompt: [
          {
            role: "user",
            content: [
              { type: "file", mediaType: "text/plain", data: { type: "text", text: TEXT } },
            ],
          },
        ],
      },
    ],
    [
      "a file of bytes that are text",
      {
        prompt: [
          {
            role: "user",
            content: [
              { type: "file", mediaType: "text/csv", data: new TextEncoder().encode(TEXT) },
            ],
          },
        ],
      },
    ],
  ] as const)("counts %s", async ([, call]) => {
    expect(await estimated(call)).toBeGreaterThanOrEqual(TEXT.length / 4);
  });

  test.for([
    ["bytes", new Uint8Array(100_000)],
    ["base64", "Tide".repeat(10_000)],
    ["bytes of version 7", { type: "data", data: new Uint8Array(100_000) }],
    ["base64 of version 7", { type: "data", data: "Tide".repeat(10_000) }],
    ["an address", new URL("https://a.example/a.png")],
  ] as const)("counts the %s of an image as a million pixels", async ([, data]) => {
    const content = [{ type: "file", mediaType: "image/png", data }];
    const tokens = await estimated({ prompt: [{ role: "user", content }] });
    expect(tokens).toBeGreaterThan(1_659);
    expect(tokens).toBeLessThan(1_750);
  });

  test("refuses a maximum that is no positive integer, before anything is reserved", async () => {
    const middleware = limitModel(limiter, { identity: "ada", estimate: (tokens) => ({ tokens }) });
    const params = { prompt: [], maxOutputTokens: -1 };
    await expect(
      middleware.wrapGenerate({ doGenerate: async () => ({ usage: {} }), params }),
    ).rejects.toThrow(expect.objectContaining({ code: "ERR_REQUEST" }));
    expect(await left()).toBe(10_000);
  });
});

describe("a usage of which a number is missing, unreadable or more than the SDK has keeps at least the estimate:", () => {
  const input = { total: 300, noCache: 300, cacheRead: 0, cacheWrite: 0 };
  const output = { total: 500, text: 500, reasoning: 0 };
  const own = { input_tokens: 300, output_tokens: 500 };
  const compaction = { type: "compaction", input_tokens: 5_000, output_tokens: 200 };
  const advice = { type: "advisor_message", input_tokens: 20, output_tokens: 30 };
  test.for([
    [{ inputTokens: input, outputTokens: output }, 800],
    [{ inputTokens: input, outputTokens: { ...output, total: undefined } }, 800],
    [{ inputTokens: input, outputTokens: { ...output, text: 700 } }, 1_000],
    [{ inputTokens: { ...input, total: 299.5 }, outputTokens: output }, 800],
    [{ inputTokens: input, outputTokens: {} }, 4_000],
    [{ inputTokens: input }, 4_000],
    [{ outputTokens: output }, 4_000],
    [{ inputTokens: input, outputTokens: { total: NaN } }, 4_000],
    [{ inputTokens: input, outputTokens: { total: -5 } }, 4_000],
    [{ inputTokens: { total: 6_000 }, outputTokens: {} }, 6_000],
    [{ inputTokens: input, outputTokens: { total: 20, text: -70, reasoning: 90 } }, 4_000],
    [{ inputTokens: { total: 6_000, noCache: NaN }, outputTokens: output }, 6_500],
    [{}, 4_000],
    [{ inputTokens: 3, outputTokens: 4, totalTokens: 7 }, 7],
    [{ inputTokens: 3, outputTokens: 4, totalTokens: 9, reasoningTokens: 2 }, 9],
    [{ inputTokens: 3, totalTokens: 7 }, 4_000],
    [{ totalTokens: 7 }, 4_000],
    [{ inputTokens: input, outputTokens: output, raw: own }, 800],
    [{ inputTokens: input, outputTokens: output, raw: null }, 800],
    [
      { inputTokens: input, outputTokens: output, raw: { ...own, iterations: [compaction] } },
      6_000,
    ],
    [{ inputTokens: input, outputTokens: output, raw: { ...own, iterations: [advice] } }, 850],
    [{ inputTokens: input, outputTokens: output, raw: { ...own, web_tokens: 20 } }, 4_000],
  ] as const)("%j", async ([usage, booked]) => {
    const middleware = limitModel(limiter, {
      identity: "ada",
      estimate: () => ({ tokens: 4_000 }),
    });
    const params = { prompt: [{ role: "user", content: prompt }] };
    await middleware.wrapGenerate({ doGenerate: async () => ({ usage: usage as never }), params });
    expect(10_000 - (await left())).toBe(booked);
  });
});

describe("streamText()", () => {
  test("settles by the usage at the end, and not before", async () => {
    const { model } = modelOf(whole);
    const { textStream } = streamText({ ...asked, model });
    const texts: string[] = [];
    for await (const text of textStream) {
      texts.push(text);
      if (texts.length === 1) expect(await left()).toBeLessThan(6_000);
    }
    expect(texts).toEqual(["High ", "tide."]);
    expect(await left()).toBe(9_200);
  });

  test.each([
    ["breaks off", (controller: TransformStreamDefaultController) => controller.terminate()],
    [
      "fails",
      (controller: TransformStreamDefaultController) => controller.error(new Error("planned")),
    ],
  ])("keeps the estimate of a stream that %s", async (_name, end) => {
    let parts = 0;
    const ended = new TransformStream({
      transform: (part, controller) => (parts++ < 3 ? controller.enqueue(part) : end(controller)),
    });
    const { model } = modelOf({
      doStream: async () => ({
        stream: simulateReadableStream({ chunks: [...PARTS] }).pipeThrough(ended),
      }),
    });
    const answer = streamText({ ...asked, model, onError: () => {} });
    await answer.consumeStream();
    expect(await left()).toBeLessThan(6_000);
  });

  test("keeps the estimate of a stream that is not read to the end, gives the slot back, and the model's stream is cancelled", async () => {
    limiter = limiterOf(fixedWindow(tokens), concurrency({ name: "slots", limit: 1, ttl: "1h" }));
    let cancelled = false;
    const { model } = modelOf({
      doStream: async () => ({
        stream: new ReadableStream({
          pull: (controller) => controller.enqueue(PARTS[2]),
          cancel: () => void (cancelled = true),
        }),
      }),
    });
    const { stream } = await model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
      maxOutputTokens: 4_000,
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel("gone");
    expect(cancelled).toBe(true);
    expect(await left()).toBeLessThan(6_000);
    await expect.poll(async () => (await limiter.peek("ada")).policies[1]!.remaining).toBe(1);
  });
});

test("numbers of earlier versions are read, too", async () => {
  const middleware = limitModel(limiter, {
    identity: () => "ada",
    estimate: (tokens) => ({ tokens }),
  });
  const params = { prompt: [{ role: "user", content: prompt }] };
  const result = { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } };
  await middleware.wrapGenerate({ doGenerate: async () => result, params });
  expect(await left()).toBe(9_993);
});

test("an option that is unknown or no function is a fault", () => {
  expect(() => limitModel(limiter, { identity: "ada", reserve: 1 } as never)).toThrow(
    /reserve[^]*estimate/,
  );
  const estimate = () => 1;
  expect(() => limitModel(limiter, { identity: "ada", estimate, cost: 1 as never })).toThrow(
    "cost",
  );
});
