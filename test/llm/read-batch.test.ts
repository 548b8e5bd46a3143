import { expect, test, vi } from "vitest";

import { type BatchUsage, readBatch } from "../../src/llm.ts";
import { createPrices } from "../../src/prices.ts";
import { bytesOf, cut, everywhere, streamed } from "./streamed.ts";

const OPENAI = [
  {
    id: "batch_req_1",
    custom_id: "one",
    response: {
      status_code: 200,
      body: {
        model: "gpt-5-mini",
        choices: [{ index: 0, message: { content: "café" }, finish_reason: "stop" }],
        usage: {
          prompt_tokens: 1_200,
          completion_tokens: 300,
          total_tokens: 1_500,
          prompt_tokens_details: { cached_tokens: 1_000 },
        },
      },
    },
    error: null,
  },
  { id: "batch_req_2", custom_id: "two", response: null, error: { code: "batch_expired" } },
];

const ANTHROPIC = [
  {
    custom_id: "one",
    result: {
      type: "succeeded",
      message: {
        model: "claude-haiku-4-5",
        stop_reason: "end_turn",
        usage: { input_tokens: 200, output_tokens: 300, service_tier: "batch" },
      },
    },
  },
  { custom_id: "two", result: { type: "errored", error: { type: "invalid_request" } } },
];

const GEMINI = [
  {
    key: "one",
    response: {
      modelVersion: "gemini-2.5-flash",
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 300, totalTokenCount: 500 },
    },
  },
];

const BEDROCK = [
  {
    recordId: "one",
    modelInput: { max_tokens: 500 },
    modelOutput: {
      model: "claude-haiku-4-5",
      stop_reason: "end_turn",
      usage: { input_tokens: 200, output_tokens: 300 },
    },
  },
  { recordId: "two", modelInput: {}, error: { errorCode: 400, errorMessage: "bad request" } },
];

async function all(body: string, positions: readonly number[] = []): Promise<BatchUsage[]> {
  const bytes = bytesOf(body);
  const results: BatchUsage[] = [];
  for await (const each of readBatch(streamed(cut(bytes, positions), "application/jsonl"))) {
    results.push(each);
  }
  return results;
}

const jsonl = (lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const counts = { inputTokens: 200, outputTokens: 300, totalTokens: 500 };

test("each line tells the usage of its request, a failed one none", async () => {
  expect(await all(jsonl(OPENAI))).toEqual([
    {
      id: "one",
      usage: {
        inputTokens: 1_200,
        outputTokens: 300,
        totalTokens: 1_500,
        cachedTokens: 1_000,
        complete: true,
        models: ["gpt-5-mini"],
      },
    },
    { id: "two" },
  ]);
  expect(await all(jsonl(ANTHROPIC))).toEqual([
    { id: "one", usage: { ...counts, complete: true, models: ["claude-haiku-4-5"] } },
    { id: "two" },
  ]);
  expect(await all(jsonl(GEMINI))).toEqual([
    { id: "one", usage: { ...counts, complete: true, models: ["gemini-2.5-flash"] } },
  ]);
});

test("Bedrock's lines have names of their own", async () => {
  expect(await all(jsonl(BEDROCK))).toEqual([
    { id: "one", usage: { ...counts, complete: true, models: ["claude-haiku-4-5"] } },
    { id: "two" },
  ]);
});

test.for([
  ["no usage", { custom_id: "one", response: { status_code: 200, body: { choices: [] } } }],
  ["another shape", { custom_id: "one", answer: { tokens: 500 } }],
  ["nothing but a name", { custom_id: "one", response: null, error: null }],
  ["a type of its own", { custom_id: "one", result: { type: "succeeded", message: {} } }],
] as const)("a line with %s may have been billed", async ([, line]) => {
  expect(await all(jsonl([line]))).toEqual([
    { id: "one", usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, complete: false } },
  ]);
});

test.for([
  ["a status", { custom_id: "one", response: { status_code: 429, body: {} } }],
  ["an error in its response", { key: "one", response: { error: { code: 8 } } }],
  ["its type", { custom_id: "one", result: { type: "canceled" } }],
] as const)("%s says that a request was not billed", async ([, line]) => {
  expect(await all(jsonl([line]))).toEqual([{ id: "one" }]);
});

test("a number that is there twice, and one beyond all numbers, are not complete", async () => {
  const line = jsonl(GEMINI).replace('"promptTokenCount":200', '"promptTokenCount":900,$&');
  expect((await all(line))[0]!.usage!.complete).toBe(false);
  const beyond = jsonl(GEMINI).replace('"promptTokenCount":200', '"promptTokenCount":1e999');
  expect((await all(beyond))[0]!.usage).toMatchObject({
    totalTokens: Number.MAX_SAFE_INTEGER,
    complete: false,
  });
});

test("a batch has a price: half of 200 tokens at a dollar a million, and 300 at five", async () => {
  const [{ usage } = {}] = await all(jsonl(ANTHROPIC));
  expect(Math.ceil(createPrices().price("claude-haiku-4-5")(usage!) / 2)).toBe(850);
});

test("lines may come in any chunks, with CRLF, empty ones between them, and no end", async () => {
  const body = jsonl(OPENAI).replaceAll("\n", "\r\n\r\n").trimEnd();
  const whole = await all(jsonl(OPENAI));
  expect(await all(body, everywhere(bytesOf(body)))).toEqual(whole);
});

test("a line that is no JSON is an error, after those before it", async () => {
  const results = readBatch(new Response(`${jsonl(GEMINI)}{"key":`));
  expect((await results.next()).value).toMatchObject({ id: "one" });
  await expect(results.next()).rejects.toThrow(SyntaxError);
});

test("a reader that ends early lets go of the connection", async () => {
  const cancel = vi.fn();
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(bytesOf(jsonl(GEMINI))),
    cancel,
  });
  for await (const { id } of readBatch(new Response(body))) {
    expect(id).toBe("one");
    break;
  }
  expect(cancel).toHaveBeenCalledOnce();
});

test("a response without a body has no results", async () => {
  expect(await readBatch(new Response(null)).next()).toEqual({ done: true, value: undefined });
});
