import { afterEach, expect, test, vi } from "vitest";

import { booked } from "./booked.ts";

afterEach(() => vi.restoreAllMocks());

const RESERVED = 20_000;

/** What is logged while a response settles a hold. */
async function logged(body: string): Promise<readonly unknown[]> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const headers = { "Content-Type": "application/json" };
  expect(await booked(new Response(body, { headers }), RESERVED)).toBe(RESERVED);
  return warn.mock.calls.flat();
}

const told = (path: string) =>
  `tidegate: the usage of a model is not all known, so its estimate was kept: ${path}`;

test.for([
  [
    '{"usage":{"prompt_tokens":12,"completion_tokens":30,"citation_tokens":8}}',
    "usage.citation_tokens",
  ],
  ['{"usage":{"prompt_tokens":"many","completion_tokens":30}}', "usage.prompt_tokens"],
  ['{"response":{"usage":{"input_tokens":-3,"output_tokens":30}}}', "response.usage.input_tokens"],
  [
    '{"usage":{"input_tokens":1,"output_tokens":3,"video_tokens":{"seen":8}}}',
    "usage.video_tokens",
  ],
  [
    '{"usage":{"input_tokens":1,"output_tokens":3,"search":{"x_tokens":8}}}',
    "usage.search.x_tokens",
  ],
  [
    '{"usage":{"input_tokens":1,"output_tokens":3,"iterations":[{"type":"guess","input_tokens":1,"output_tokens":1}]}}',
    "usage.iterations.type",
  ],
  ['{"usage":{"tokens_in":12,"tokens_out":30}}', "usage.tokens_in"],
  ['{"usageMetadata":[{"promptTokenCount":12}]}', "usageMetadata"],
] as const)("the operator is told which field was unknown: %s", async ([body, path]) => {
  expect(await logged(body)).toEqual([told(path)]);
});

test("once for each field", async () => {
  const body = '{"usage":{"prompt_tokens":12,"completion_tokens":30,"odd_tokens":8}}';
  await logged(body);
  expect(await logged(body)).toEqual([told("usage.odd_tokens")]);
});

test("of a field that is 0 or no number of tokens, nothing is told", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const body = '{"usage":{"prompt_tokens":12,"completion_tokens":30,"none_tokens":0,"cost":0.5}}';
  const headers = { "Content-Type": "application/json" };
  expect(await booked(new Response(body, { headers }), RESERVED)).toBe(42);
  expect(warn.mock.calls).toEqual([]);
});
