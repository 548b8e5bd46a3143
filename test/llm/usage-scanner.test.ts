import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createUsageScanner } from "../../src/llm/usage-scanner.ts";
import { createTokenTally, type TokenCounts } from "../../src/llm/usage.ts";
import { bytesOf, cut } from "./streamed.ts";

const COUNTS = [
  "prompt_tokens",
  "completion_tokens",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
];
const DETAILED = ["cached_tokens", "cache_write_tokens"];
const NAMES = [
  ...COUNTS,
  ...DETAILED,
  "usage",
  "response",
  "message",
  "prompt_tokens_details",
  "input_tokens_details",
  "constructor",
];

type Added = readonly [counts: TokenCounts, isFirst: boolean];

/** The findings of a scanner in chunks. */
function scanned(chunks: readonly Uint8Array[]): Added[] {
  const added: Added[] = [];
  const { scan } = createUsageScanner({
    add: (counts, isFirst) => void added.push([counts, isFirst]),
    usage: () => undefined,
  });
  for (const chunk of chunks) scan(chunk, 0, chunk.length);
  return added;
}

const usageOf = (text: string) => {
  const tally = createTokenTally();
  const bytes = bytesOf(text);
  createUsageScanner(tally).scan(bytes, 0, bytes.length);
  return tally.usage();
};

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function countsIn(usage: unknown, names: readonly string[]): TokenCounts {
  if (!isObject(usage)) return {};
  const found = Object.entries(usage).filter(
    ([name, value]) => names.includes(name) && Number.isSafeInteger(value) && Number(value) >= 0,
  );
  return Object.fromEntries(found) as TokenCounts;
}

/** What JSON.parse() finds, in the order of the document. */
function expected(root: Json): Added[] {
  return Object.entries(root).flatMap(([name, value]): Added[] => {
    const usage = name === "usage" ? value : isObject(value) ? value["usage"] : undefined;
    if (!["usage", "response", "message"].includes(name) || !isObject(usage)) return [];
    const details = Object.entries(usage)
      .filter(([part]) => /^(?:prompt|input)_tokens_details$/.test(part))
      .map(([, part]) => countsIn(part, DETAILED));
    return [
      [Object.assign(countsIn(usage, COUNTS), ...details) as TokenCounts, name === "message"],
    ];
  });
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.nat(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"usage":{"total_tokens":1}', "\\", '"', "}", "[{"),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...NAMES) }, fc.string({ unit: "binary" })),
      tie("value"),
      { noNullPrototype: true },
    ),
  ),
}));
const root = fc
  .record({ usage: value, response: value, message: value, choices: value }, { requiredKeys: [] })
  .map((given) => JSON.parse(JSON.stringify(given)) as Json);

test("the scanner finds the same as a parser, in any JSON and any pieces", () => {
  const space = fc.constantFrom(undefined, 1, "\t");
  fc.assert(
    fc.property(root, space, fc.array(fc.nat(400), { maxLength: 20 }), (given, indent, drawn) => {
      const bytes = bytesOf(JSON.stringify(given, null, indent));
      const positions = drawn.filter((at) => at <= bytes.length).sort((a, b) => a - b);
      expect(scanned(cut(bytes, positions))).toEqual(expected(given));
    }),
    { numRuns: 2_000 },
  );
});

test("no bytes make it throw", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom('{"usage":', '{"total_tokens":1', "}", "]", ",", '"', "\\", "[").map(bytesOf),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (chunks) => {
      const counts = scanned(chunks).flatMap(([found]) => Object.values(found));
      expect(counts.filter((count) => !Number.isSafeInteger(count))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

describe("no usage is found in", () => {
  test.each([
    ["a list", '[{"usage":{"total_tokens":5}}]'],
    ["a text", '"{\\"usage\\":{\\"total_tokens\\":5}}"'],
    ["a second document", '{} {"usage":{"total_tokens":5}}'],
    ["a choice", '{"choices":[{"usage":{"total_tokens":5}}]}'],
    ["the response of a response", '{"response":{"response":{"usage":{"total_tokens":5}}}}'],
    ["a usage that is a list", '{"usage":[{"total_tokens":5}]}'],
    ["a number below 0", '{"usage":{"total_tokens":-5}}'],
    ["a fraction", '{"usage":{"total_tokens":5.0}}'],
    ["a power", '{"usage":{"total_tokens":5e3}}'],
    ["a number beyond 2^53", '{"usage":{"total_tokens":9007199254740993}}'],
    ["a number in quotes", '{"usage":{"total_tokens":"5"}}'],
    ["true", '{"usage":{"total_tokens":true}}'],
    ["a name that ends like it", '{"\\\\usage":{"total_tokens":5}}'],
    ["a name that begins like it", '{"usage\\\\":{"total_tokens":5}}'],
    ["a name with capitals", '{"Usage":{"total_tokens":5}}'],
    ["a body that ends before it closes", '{"usage":{"total_tokens":5'],
    ["half of a number", '{"usage":{"total_tokens":5, "prompt_tokens":1'],
    ["something that is no JSON", '<html>{"usage":{"total_tokens":5}}'],
    ["an object without a colon", '{"usage" {"total_tokens":5}}'],
    ["an object without a value", '{"id":,"usage":{"total_tokens":5}}'],
    ["an object without a comma", '{"id":"1" "usage":{"total_tokens":5}}'],
  ])("%s", (_where, text) => {
    expect(usageOf(text)).toBeUndefined();
  });
});

test("nesting of a million levels hides nothing and costs no stack", () => {
  const deep = "[".repeat(1e6) + "]".repeat(1e6);
  expect(usageOf(`{"a":${deep},"usage":{"total_tokens":5}}`)?.totalTokens).toBe(5);
});

test("a byte order mark is no part of the document", () => {
  expect(usageOf('\ufeff{"usage":{"total_tokens":5}}')?.totalTokens).toBe(5);
});

describe("the numbers of a usage", () => {
  test.each([
    ["an embedding's", { prompt_tokens: 8, total_tokens: 8 }, [8, 0, 8]],
    ["a total alone", { total_tokens: 9 }, [0, 0, 9]],
    [
      "a total above the sum",
      { prompt_tokens: 8, completion_tokens: 2, total_tokens: 15 },
      [8, 2, 15],
    ],
    [
      "OpenAI's Responses with Anthropic's names beside",
      { input_tokens: 10, output_tokens: 2, total_tokens: 12, cache_read_input_tokens: 7 },
      [10, 2, 12],
    ],
    [
      "OpenAI's with Anthropic's names beside",
      { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cache_read_input_tokens: 7 },
      [10, 2, 12],
    ],
    [
      "Anthropic's",
      { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 7 },
      [17, 2, 19],
    ],
  ])("%s", (_whose, usage, numbers) => {
    const found = usageOf(JSON.stringify({ usage }))!;
    expect([found.inputTokens, found.outputTokens, found.totalTokens]).toEqual(numbers);
  });

  test("a later usage replaces an earlier one name by name, except its total", () => {
    const tally = createTokenTally();
    tally.add({ input_tokens: 10, total_tokens: 11 }, true);
    tally.add({}, false);
    expect(tally.usage()).toEqual({
      inputTokens: 10,
      outputTokens: 0,
      totalTokens: 11,
      complete: false,
    });
    tally.add({ output_tokens: 5 }, false);
    expect(tally.usage()).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      complete: true,
    });
  });
});
