import { describe, expect, test } from "vitest";

import { booked } from "./booked.ts";

/*
 * What a hold of 20,000 tokens is settled at, by the usage of a response: at less only where every number is known and can be
 * read, at more wherever what can be read is more.
 */

const RESERVED = 20_000;
const MOST = Number.MAX_SAFE_INTEGER;

const answered = (body: string, type = "application/json") =>
  new Response(body, { headers: { "Content-Type": type } });

const events = (...data: readonly string[]) =>
  answered(data.map((each) => `data: ${each}\n\n`).join(""), "text/event-stream");

const bookedOf = (usage: string) => booked(answered(`{"id":"1","usage":${usage}}`), RESERVED);

describe("a number is read in any spelling of JSON, and a fraction rounded up", () => {
  test.for([
    ['{"prompt_tokens":12,"completion_tokens":14417.92}', 14_430],
    ['{"input_tokens":9000.4,"output_tokens":30}', 9_031],
    ['{"prompt_tokens":1.2e1,"completion_tokens":30}', 42],
    ['{"prompt_tokens":12.0,"completion_tokens":1E2}', 112],
    ['{"prompt_tokens":1200e-2,"completion_tokens":3e+1}', 42],
    ['{"prompt_tokens":12.000000000000000000000000000000000,"completion_tokens":0.5}', 13],
    ['{"prompt_tokens":-0,"completion_tokens":0e9}', 0],
    ['{ "prompt_tokens" :\t12 ,\r\n"completion_tokens":30\n}', 42],
    ['{"prompt\\u005ftokens":12,"completion_\\u0074okens":30}', 42],
    [`{"prompt_tokens":12,"completion_tokens":1${"0".repeat(380)}e-376}`, 10_012],
  ] as const)("%s", async ([usage, tokens]) => {
    expect(await bookedOf(usage)).toBe(tokens);
  });
});

describe("a number beyond 2^53 is the greatest", () => {
  test.for([
    "9007199254740992",
    "9007199254740993.5",
    "1e16",
    "1e400",
    "123456789012345678901234567890",
    `1${"0".repeat(100_000)}`,
    `1${"0".repeat(100_000)}.5e3`,
  ])("%s", async (number) => {
    expect(await bookedOf(`{"prompt_tokens":12,"completion_tokens":${number}}`)).toBe(MOST);
  });

  test("and so are two that come to more together", async () => {
    expect(await bookedOf(`{"prompt_tokens":${MOST},"completion_tokens":${MOST}}`)).toBe(MOST);
  });
});

describe("of a usage with a number that is missing or cannot be read, the reservation is kept", () => {
  const numbers = [
    "null",
    "-5",
    "-5.5e3",
    '"12"',
    '"twelve"',
    '""',
    "true",
    "{}",
    '{"total":12}',
    "[12]",
    "NaN",
    "Infinity",
    "0x10",
    "1_000",
    "+12",
    ".5",
    "1e",
  ];
  const rows = numbers.flatMap((number) => [
    `{"prompt_tokens":12,"completion_tokens":${number}}`,
    `{"prompt_tokens":${number},"completion_tokens":12}`,
    `{"input_tokens":${number},"output_tokens":12}`,
    `{"input_tokens":12,"output_tokens":${number},"cache_read_input_tokens":4}`,
  ]);
  test.for([
    ...rows,
    '{"input_tokens":12,"output_tokens":12,"cache_read_input_tokens":"9"}',
    '{"input_tokens":12,"output_tokens":12,"cache_creation_input_tokens":-9}',
    '{"input_tokens":12,"output_tokens":12,"iterations":[12]}',
    '{"input_tokens":12,"output_tokens":12,"iterations":[[{"input_tokens":5}]]}',
    '{"input_tokens":12,"output_tokens":12,"iterations":{"type":"message","input_tokens":12}}',
    '{"input_tokens":12,"output_tokens":12,"iterations":[{"type":"compaction","input_tokens":5}]}',
    '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":true}',
    '{"prompt_tokens":12}',
    '{"completion_tokens":12}',
    '{"output_tokens":12}',
    '{"total_tokens":9}',
    '{"total_tokens":0}',
    '{"cache_read_input_tokens":9}',
    '{"prompt_tokens":12,"total_tokens":50}',
    '{"completion_tokens":12,"total_tokens":50}',
    '{"promptTokenCount":12,"totalTokenCount":50}',
    '{"prompt":12,"completion":30}',
    '{"input_tokens":12,"output_tokens":30,"cache_read_input_tokens":9}',
    '{"inputTokens":12,"outputTokens":30,"cacheWriteInputTokens":9}',
    '{"type":"duration","seconds":"12"}',
    "{}",
    "null",
    "12",
    '"12 tokens"',
    "[]",
    '[{"prompt_tokens":12,"completion_tokens":30}]',
  ])("%s", async (usage) => {
    expect(await bookedOf(usage)).toBe(RESERVED);
  });

  test.for([
    ['{"total_tokens":30000}', 30_000],
    ['{"prompt_tokens":30000,"completion_tokens":"12"}', 30_012],
    ['{"prompt_tokens":30000,"completion_tokens":-7}', 30_000],
    ['{"prompt_tokens":30000}', 30_000],
    ['{"completion_tokens":12,"total_tokens":30000}', 30_000],
    ['{"output_tokens":12,"cache_read_input_tokens":30000}', 30_012],
    ['{"input_tokens":12,"output_tokens":"30000"}', 30_012],
  ] as const)("but what can be read above it is charged: %s", async ([usage, tokens]) => {
    expect(await bookedOf(usage)).toBe(tokens);
  });
});

describe("of a usage with tokens of an unknown name, the reservation is kept", () => {
  test.for([
    '{"prompt_tokens":12,"completion_tokens":30,"citation_tokens":8}',
    '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42,"reasoning_tokens":8}',
    '{"input_tokens":12,"output_tokens":30,"videoTokens":8}',
    '{"input_tokens":12,"output_tokens":30,"videoTokenCount":8}',
    '{"input_tokens":12,"output_tokens":30,"video_token_count":8}',
    '{"input_tokens":12,"output_tokens":30,"search":{"tools":{"web_tokens":8}}}',
    '{"input_tokens":12,"output_tokens":30,"searches":[{"tokens":8}]}',
    '{"prompt_tokens":12,"completion_tokens":30,"citation_tokens":[8]}',
    '{"prompt_tokens":12,"completion_tokens":30,"citation_tokens":{"text":8}}',
    '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42,"citation_tokens":{"text":8}}',
    '{"prompt_tokens":12,"completion_tokens":30,"completion_tokens_details":{"reasoning_tokens":8}}',
    '{"prompt_tokens":12,"completion_tokens":30,"prompt_tokens_details":{"video_tokens":8}}',
    '{"input_tokens":12,"output_tokens":30,"iterations":[{"type":"other","input_tokens":1,"output_tokens":1}]}',
    `{"input_tokens":12,"output_tokens":30,"${"a".repeat(1_000)}":8}`,
    `{"input_tokens":12,"output_tokens":30,"a":${'{"a":'.repeat(40)}{"x_tokens":8}${"}".repeat(41)}`,
  ])("%s", async (usage) => {
    expect(await bookedOf(usage)).toBe(RESERVED);
  });

  test.for([
    ['{"prompt_tokens":12,"completion_tokens":30,"citation_tokens":60000}', 60_042],
    [
      '{"prompt_tokens":12,"completion_tokens":30,"a":{"x_tokens":30000},"b":{"x_tokens":30000}}',
      60_042,
    ],
    [
      '{"prompt_tokens":12,"completion_tokens":30,"completion_tokens_details":{"reasoning_tokens":60000}}',
      60_042,
    ],
    [
      '{"input_tokens":12,"output_tokens":30,"iterations":[{"type":"other","input_tokens":60000,"output_tokens":1}]}',
      60_043,
    ],
    [
      '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42,"completion_tokens_details":{"video_tokens":60000}}',
      60_042,
    ],
    [
      '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42,"completion_tokens_details":{"video_tokens":43}}',
      RESERVED,
    ],
  ] as const)("but they are charged where they are more: %s", async ([usage, tokens]) => {
    expect(await bookedOf(usage)).toBe(tokens);
  });

  test.for([
    ['{"prompt_tokens":12,"completion_tokens":30,"reasoning_tokens":0}', 42],
    ['{"prompt_tokens":12,"completion_tokens":30,"cost":0.5,"num_search_queries":8}', 42],
    ['{"prompt_tokens":12,"completion_tokens":30,"cost_details":{"input_tokens_cost":0.5}}', 42],
    [
      '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42,"prompt_tokens_details":{"video_tokens":8}}',
      42,
    ],
    ['{"input_tokens":12,"output_tokens":30,"server_tool_use":{"web_search_requests":3}}', 42],
    // Parts that are told twice: each is no more than the total.
    [
      '{"input_tokens":12,"output_tokens":30,"total_tokens":42,"input_token_details":{"text_tokens":12,"text_tokens_again":12,"web_tokens":12},"output_token_details":{"text_tokens":30,"audio_tokens":30}}',
      42,
    ],
  ] as const)("and other numbers are no tokens: %s", async ([usage, tokens]) => {
    expect(await bookedOf(usage)).toBe(tokens);
  });
});

describe("of several ways to read a usage, the one that comes to most is booked", () => {
  test.for([
    ["a total above its parts", '{"prompt_tokens":8,"completion_tokens":2,"total_tokens":15}', 15],
    ["parts above their total", '{"prompt_tokens":8,"completion_tokens":2,"total_tokens":5}', 10],
    [
      "a cache beside the input",
      '{"input_tokens":8,"output_tokens":2,"cache_read_input_tokens":7,"cache_creation_input_tokens":0}',
      17,
    ],
    [
      "a cache beside the input, with a total without it",
      '{"input_tokens":8,"output_tokens":2,"total_tokens":10,"cache_read_input_tokens":7}',
      17,
    ],
    [
      "a cache in the prompt, with Anthropic's name",
      '{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10,"cache_read_input_tokens":7}',
      10,
    ],
    [
      "a cache above the prompt",
      '{"prompt_tokens":8,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":90}}',
      100,
    ],
    [
      "the parts of a cache alone",
      '{"input_tokens":8,"output_tokens":2,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":40,"ephemeral_1h_input_tokens":50}}',
      100,
    ],
    [
      "reasoning above the completion, with a total without it",
      '{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10,"completion_tokens_details":{"reasoning_tokens":90}}',
      100,
    ],
    [
      "reasoning in the completion",
      '{"prompt_tokens":8,"completion_tokens":92,"total_tokens":100,"completion_tokens_details":{"reasoning_tokens":90}}',
      100,
    ],
    [
      "an iteration beside the message, without the message's own",
      '{"input_tokens":700,"output_tokens":50,"iterations":[{"type":"compaction","input_tokens":5000,"output_tokens":200}]}',
      5_950,
    ],
    [
      "iterations of the message that come to more",
      '{"input_tokens":700,"output_tokens":50,"iterations":[{"type":"message","input_tokens":700,"output_tokens":20},{"type":"message","input_tokens":900,"output_tokens":30}]}',
      1_650,
    ],
    ["a name twice", '{"prompt_tokens":12,"completion_tokens":30,"prompt_tokens":13}', 43],
  ] as const)("%s", async ([, usage, tokens]) => {
    expect(await bookedOf(usage)).toBe(tokens);
  });

  test.for([
    ["smaller the second time", '{"prompt_tokens":12,"completion_tokens":30,"prompt_tokens":11}'],
    ["a usage twice", '{"prompt_tokens":12,"completion_tokens":30},"usage":{"prompt_tokens":1}'],
  ] as const)("%s", async ([, usage]) => {
    expect(await bookedOf(usage)).toBe(RESERVED);
  });

  test("the numbers of several choices are summed, and keep the reservation", async () => {
    const choice = (index: number, tokens: number) =>
      `{"index":${index},"finish_reason":"stop","usage":{"prompt_tokens":8,"completion_tokens":${tokens}}}`;
    const body = (tokens: number) => `{"choices":[${choice(0, tokens)},${choice(1, tokens)}]}`;
    expect(await booked(answered(body(10)), RESERVED)).toBe(RESERVED);
    expect(await booked(answered(body(30_000)), RESERVED)).toBe(60_016);
  });
});

describe("of numbers that are told again, the greatest counts, and a smaller one keeps the reservation", () => {
  const start = (usage: string) =>
    `{"type":"message_start","message":{"stop_reason":null,"usage":${usage}}}`;
  const delta = (usage: string) => `{"type":"message_delta","delta":{},"usage":${usage}}`;
  test.for([
    [
      "the same",
      start('{"input_tokens":9000,"output_tokens":1}'),
      delta('{"input_tokens":9000,"output_tokens":500}'),
      9_500,
    ],
    [
      "more",
      start('{"input_tokens":9000,"output_tokens":1}'),
      delta('{"input_tokens":9100,"output_tokens":500}'),
      9_600,
    ],
    [
      "no input",
      start('{"input_tokens":9000,"output_tokens":1}'),
      delta('{"output_tokens":500}'),
      9_500,
    ],
    [
      "0",
      start('{"input_tokens":9000,"output_tokens":1}'),
      delta('{"input_tokens":0,"output_tokens":500}'),
      RESERVED,
    ],
    [
      "0, of more than was reserved",
      start('{"input_tokens":90000,"output_tokens":1}'),
      delta('{"input_tokens":0,"output_tokens":500}'),
      90_500,
    ],
    [
      "less of a cache",
      start('{"input_tokens":1,"cache_read_input_tokens":9000,"output_tokens":1}'),
      delta('{"cache_read_input_tokens":8999,"output_tokens":500}'),
      RESERVED,
    ],
    [
      "fewer iterations",
      delta(
        '{"input_tokens":9,"output_tokens":9,"iterations":[{"type":"compaction","input_tokens":900,"output_tokens":9}]}',
      ),
      delta(
        '{"input_tokens":9,"output_tokens":9,"iterations":[{"type":"compaction","input_tokens":90,"output_tokens":9}]}',
      ),
      RESERVED,
    ],
    [
      "no output at the end",
      start('{"input_tokens":9000,"output_tokens":1}'),
      delta('{"input_tokens":9000}'),
      RESERVED,
    ],
    [
      "a usage that cannot be read",
      start('{"input_tokens":9000,"output_tokens":1}'),
      delta('"500"'),
      RESERVED,
    ],
    [
      "no JSON",
      start('{"input_tokens":9000,"output_tokens":1}'),
      '{"usage":{"output_tokens":500',
      RESERVED,
    ],
  ] as const)("%s", async ([, first, last, tokens]) => {
    expect(await booked(events(first, last), RESERVED)).toBe(tokens);
  });
});

describe("a stream that ends while its answer goes on keeps the reservation", () => {
  const chat = (finish: string, usage: string, index = 0) =>
    `{"choices":[{"index":${index},"delta":{},"finish_reason":${finish}}],"usage":${usage}}`;
  const TOLD = '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42}';
  const GEMINI =
    '"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":30,"totalTokenCount":42}';
  const RESPONSES = '"usage":{"input_tokens":12,"output_tokens":30,"total_tokens":42}';
  test.for([
    ["a chunk without an end", [chat("null", TOLD)], RESERVED],
    ["a chunk with an end", [chat('"stop"', TOLD)], 42],
    ["an end, and then the usage", [chat('"stop"', "null"), chat("null", TOLD)], 42],
    ["a usage without choices", [chat("null", "null"), `{"choices":[],"usage":${TOLD}}`], 42],
    [
      "one end of two",
      [chat("null", "null"), chat("null", "null", 1), chat('"stop"', TOLD)],
      RESERVED,
    ],
    ["two ends", [chat('"stop"', "null", 1), chat('"stop"', TOLD)], 42],
    ["Gemini's chunk", [`{"candidates":[{"content":{}}],${GEMINI}}`], RESERVED],
    ["Gemini's last chunk", [`{"candidates":[{"finishReason":"STOP"}],${GEMINI}}`], 42],
    [
      "a response in progress",
      [`{"type":"response.in_progress","response":{"status":"in_progress",${RESPONSES}}}`],
      RESERVED,
    ],
    [
      "a response of an unknown event",
      [`{"type":"response.moved","response":{${RESPONSES}}}`],
      RESERVED,
    ],
    ["a response that has ended", [`{"response":{"status":"incomplete",${RESPONSES}}}`], 42],
    ["the event of its end", [`{"response":{${RESPONSES}},"type":"response.completed"}`], 42],
    [
      "an interaction in progress",
      [`{"event_type":"interaction.start","interaction":{${RESPONSES}}}`],
      RESERVED,
    ],
    [
      "an interaction that is complete",
      [`{"event_type":"interaction.complete","interaction":{${RESPONSES}}}`],
      42,
    ],
    ["Anthropic's first event", [`{"type":"message_start","message":{"usage":${TOLD}}}`], RESERVED],
  ] as const)("%s", async ([, data, tokens]) => {
    expect(await booked(events(...data), RESERVED)).toBe(tokens);
  });

  test.for([
    [
      "the first of a list",
      `[{"candidates":[{"content":{}}],${GEMINI}}`,
      "application/json",
      RESERVED,
    ],
    [
      "all of a list",
      `[{"candidates":[{}],${GEMINI}},{"candidates":[{"finishReason":"STOP"}],${GEMINI}}]`,
      "application/json",
      42,
    ],
    [
      "a line that is not done",
      '{"done":false,"prompt_eval_count":12,"eval_count":30}\n',
      "application/x-ndjson",
      RESERVED,
    ],
    [
      "a line that is done",
      '{"done":true,"prompt_eval_count":12,"eval_count":30}\n',
      "application/x-ndjson",
      42,
    ],
    [
      "a whole body without the reason of its end",
      `{"choices":[{"message":{}}],"usage":${TOLD}}`,
      "application/json",
      42,
    ],
    ["a body that is not whole", `{"usage":${TOLD}`, "application/json", RESERVED],
    ["a number that is cut off", '{"usage":{"prompt_tokens":50000', "application/json", 50_000],
    [
      "an iteration that is cut off",
      '{"usage":{"iterations":[{"input_tokens":50000,"type',
      "application/json",
      50_000,
    ],
    ["no JSON after the usage", `{"usage":${TOLD} oops}`, "application/json", RESERVED],
    ["a background response", `{"status":"queued",${RESPONSES}}`, "application/json", RESERVED],
  ] as const)("%s", async ([, body, type, tokens]) => {
    expect(await booked(answered(body, type), RESERVED)).toBe(tokens);
  });
});

describe("of a stream that breaks off, a usage counts alone only if it says that it is the last one:", () => {
  const told = (tokens: number, more = "") =>
    `{${more}"usage":{"prompt_tokens":12,"completion_tokens":${tokens}}}`;
  const chunk = (tokens: number, finish: string) =>
    told(tokens, `"choices":[{"index":0,"delta":{},"finish_reason":${finish}}],`);

  /** Events, and then a failure. */
  function broken(data: readonly string[]): Response {
    const text = data.map((each) => `data: ${each}\n\n`).join("");
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulls++ > 0) controller.error(new Error("lost"));
        else controller.enqueue(new TextEncoder().encode(text));
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }

  test.for([
    ["numbers that grow", [chunk(1, "null"), chunk(20, "null")], RESERVED],
    ["numbers that grow, of an unknown server", [told(1), told(20)], RESERVED],
    ["its first number, of an unknown server", [told(1)], RESERVED],
    ["a number before the end of the stream", [told(30), "[DONE]"], 42],
    ["an open answer before the end of the stream", [chunk(30, "null"), "[DONE]"], RESERVED],
    ["the end of the answer", [chunk(1, "null"), chunk(30, '"length"')], 42],
    ["a usage after the end", [chunk(1, "null"), chunk(30, '"stop"'), told(30)], 42],
    ["more than was reserved", [chunk(1, "null"), chunk(30_000, "null")], 30_012],
    [
      "Anthropic's last event",
      [
        '{"type":"message_start","message":{"usage":{"input_tokens":12,"output_tokens":1}}}',
        '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":30}}',
      ],
      42,
    ],
    [
      "one of several last events of Anthropic",
      [
        '{"type":"message_start","message":{"usage":{"input_tokens":12,"output_tokens":1}}}',
        '{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":30}}',
      ],
      RESERVED,
    ],
  ] as const)("%s", async ([, data, tokens]) => {
    expect(await booked(broken(data), RESERVED)).toBe(tokens);
  });

  test("one that has ended counts, with the last of numbers that grow", async () => {
    expect(await booked(events(told(1), told(30)), RESERVED)).toBe(42);
  });
});
