import type {
  LanguageModelV2Middleware,
  LanguageModelV3Middleware,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { expect, test } from "vitest";

import { createLimiter, fixedWindow, memoryStore, refundable } from "../../src/index.ts";
import { limitModel } from "../../src/llm.ts";

/* The middleware for models of versions 5 and 6 of the AI SDK, whose interfaces have the numbers 2 and 3. */

const USAGE = {
  inputTokens: { total: 300, noCache: 200, cacheRead: 100, cacheWrite: undefined },
  outputTokens: { total: 500, text: 450, reasoning: 50 },
};
const FINISH = { unified: "stop", raw: undefined } as const;

function limited() {
  const limiter = createLimiter({
    store: memoryStore(),
    policies: [
      fixedWindow({ name: "tokens", limit: 9_000, window: "1d", refundable: refundable() }),
    ],
  });
  const middleware = limitModel(limiter, {
    identity: "ada",
    estimate: (tokens) => ({ tokens }),
  });
  const left = async () => (await limiter.peek("ada")).policies[0]!.remaining;
  return { middleware, left };
}

test("the middleware has the types of both", () => {
  const { middleware } = limited();
  const ofVersion5: LanguageModelV2Middleware = middleware;
  const ofVersion6: LanguageModelV3Middleware = { specificationVersion: "v3", ...middleware };
  expect([ofVersion5, ofVersion6].every(({ wrapGenerate }) => wrapGenerate)).toBe(true);
});

test("a model of version 6 is settled by its usage, whole and as a stream", async () => {
  const { middleware, left } = limited();
  const content = [{ type: "text" as const, text: "High tide." }];
  const chunks: LanguageModelV3StreamPart[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "High tide." },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: FINISH, usage: USAGE },
  ];
  const provider = new MockLanguageModelV3({
    doGenerate: { content, finishReason: FINISH, usage: USAGE, warnings: [] },
    doStream: { stream: simulateReadableStream({ chunks }) },
  });
  const model = wrapLanguageModel({ model: provider, middleware });
  const asked = { model, prompt: "How high?", maxOutputTokens: 4_000, maxRetries: 0 };
  expect((await generateText(asked)).text).toBe("High tide.");
  expect(await left()).toBe(8_200);
  expect(await streamText(asked).text).toBe("High tide.");
  await expect.poll(left).toBe(7_400);
});
