import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";

import { readUsage } from "../../src/llm/read-usage.ts";
import type { Usage } from "../../src/llm/usage.ts";
import { ANTHROPIC_START, ANTHROPIC_STREAM, CHAT, SHAPES } from "../support/llm/shapes.ts";
import { IS_WHOLE, runs, some } from "../support/runs.ts";
import { bytesOf, cut, readThrough, streamed } from "./streamed.ts";
import { listen } from "./tides-server.ts";

afterEach(() => vi.restoreAllMocks());

describe("the response that readUsage() returns", () => {
  test("has the status and the header fields of the one it was given", async () => {
    const given = new Response(CHAT.body, {
      status: 203,
      statusText: "Somewhat",
      headers: { "Content-Type": CHAT.type, "X-Request-Id": "req_1", "Content-Length": "7" },
    });
    const read = readUsage(given, () => {});
    expect([read.status, read.statusText]).toEqual([203, "Somewhat"]);
    expect([...read.headers]).toEqual([...given.headers]);
    expect(await read.text()).toBe(CHAT.body);
  });

  test("is the given one if that has no body", () => {
    const told: (Usage | undefined)[] = [];
    for (const given of [new Response(null, { status: 204 }), Response.error()]) {
      expect(readUsage(given, (usage) => void told.push(usage))).toBe(given);
    }
    expect(told).toEqual([undefined, undefined]);
  });

  test("passes each chunk on by itself, and asks for none before its reader does", async () => {
    const chunks = cut(bytesOf(CHAT.body), [3, 300, 301]);
    let asked = 0;
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(chunks[asked++]!) },
      { highWaterMark: 0 },
    );
    const given = new Response(body, { headers: { "Content-Type": CHAT.type } });
    const reader = readUsage(given, () => {}).body!.getReader();
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).toBe(0);
    for (const [i, chunk] of chunks.entries()) {
      expect((await reader.read()).value).toBe(chunk);
      expect(asked).toBe(i + 1);
    }
  });

  test("cannot be made of a body that is being read", () => {
    const given = new Response(CHAT.body);
    given.body!.getReader();
    expect(() => readUsage(given, () => {})).toThrow(TypeError);
  });
});

/** A stream that waits after its first chunk, and the events on it. */
function waitingStream(first: string) {
  const cancelled: unknown[] = [];
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      controller.enqueue(bytesOf(first));
    },
    cancel: (reason) => void cancelled.push(reason),
  });
  const headers = { "Content-Type": ANTHROPIC_STREAM.type };
  return { cancelled, controller, response: new Response(body, { headers }) };
}

describe("onUsage is called once", () => {
  const start = ANTHROPIC_STREAM.body.split("event: ping")[0]!;

  test("with the known usage when the client cancels", async () => {
    const { response, cancelled } = waitingStream(start);
    const onUsage = vi.fn();
    const reader = readUsage(response, onUsage).body!.getReader();
    await reader.read();
    const waiting = reader.read();
    await reader.cancel("gone");
    expect((await waiting).done).toBe(true);
    expect(cancelled).toEqual(["gone"]);
    expect(onUsage.mock.calls).toEqual([[ANTHROPIC_START]]);
  });

  test("with undefined when the client cancels before it has read anything", async () => {
    const { response, cancelled } = waitingStream(start);
    const onUsage = vi.fn();
    await readUsage(response, onUsage).body!.cancel();
    expect(cancelled).toEqual([undefined]);
    expect(onUsage.mock.calls).toEqual([[undefined]]);
  });

  test("with the known usage when the source fails, and the client sees the same failure", async () => {
    const { response, controller } = waitingStream(start);
    const onUsage = vi.fn();
    const reader = readUsage(response, onUsage).body!.getReader();
    await reader.read();
    const failure = new Error("connection lost");
    controller.error(failure);
    await expect(reader.read()).rejects.toBe(failure);
    await expect(reader.read()).rejects.toBe(failure);
    expect(onUsage.mock.calls).toEqual([[ANTHROPIC_START]]);
  });

  test("also where a runtime rejects the read that waits while its client cancels", async () => {
    const { promise: waiting, reject } = Promise.withResolvers<never>();
    const reader = { read: () => waiting, cancel: async () => reject(new Error("cancelled")) };
    const headers = new Headers({ "Content-Type": CHAT.type });
    const given = { status: 200, headers, body: { getReader: () => reader } };
    const onUsage = vi.fn();
    const client = readUsage(given as never, onUsage).body!.getReader();
    const read = client.read();
    await new Promise((resolve) => setTimeout(resolve));
    await client.cancel();
    expect((await read).done).toBe(true);
    await expect(waiting).rejects.toThrow("cancelled");
    await new Promise((resolve) => setTimeout(resolve));
    expect(onUsage).toHaveBeenCalledExactlyOnceWith(undefined);
  });

  test("and never with less than the whole usage as a complete one, wherever the source fails", async () => {
    for (const { name, body, type, headers, usage } of SHAPES) {
      const whole = bytesOf(body);
      let complete = 0;
      const ends = Array.from({ length: whole.length + 1 }, (_, cut) => whole.length - cut);
      for (const at of some(ends)) {
        const told: (Usage | undefined)[] = [];
        let pulls = 0;
        const failing = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (pulls++ > 0) controller.error(new Error("lost"));
            else controller.enqueue(whole.subarray(0, at));
          },
        });
        const given = new Response(failing, { headers: { ...headers, "Content-Type": type } });
        const read = readUsage(given, (usage) => void told.push(usage));
        await expect(read.text()).rejects.toThrow("lost");
        expect(told).toHaveLength(1);
        if (!told[0]?.complete) continue;
        complete++;
        expect([name, at, told[0]]).toEqual([name, at, usage]);
      }
      expect([name, complete > 0]).toEqual([name, true]);
    }
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["rejects", () => Promise.reject(new Error("mine, later"))],
  ])("and the body passes if it %s", async (_how, onUsage) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const given = streamed([bytesOf(CHAT.body)], CHAT.type);
    expect(await readUsage(given, onUsage).text()).toBe(CHAT.body);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining("onUsage failed: Error: mine"),
    );
  });
});

describe("the content type", () => {
  test.each([
    ["application/json", CHAT.usage],
    ["Application/JSON; charset=utf-8", CHAT.usage],
    ["application/vnd.example+json", CHAT.usage],
    ["text/plain", undefined],
    ["application/x-ndjson", CHAT.usage],
    ["application/jsonl", CHAT.usage],
    ["application/vnd.amazon.eventstream", undefined],
    ["text/event-stream", undefined],
    ["", undefined],
  ])("%j of JSON", async (type, usage) => {
    const { told, bytes } = await readThrough(streamed([bytesOf(CHAT.body)], type));
    expect(told).toEqual([usage]);
    expect(new TextDecoder().decode(bytes)).toBe(CHAT.body);
  });
});

describe("a body with a content encoding", () => {
  test.each<[string, (body: string | Uint8Array) => Uint8Array]>([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("passes unread while it is %s", async (_name, encode) => {
    for (const { body, type } of SHAPES) {
      const encoded = new Uint8Array(encode(body));
      const { told, bytes } = await readThrough(streamed([encoded], type));
      expect(told).toEqual([undefined]);
      expect(Buffer.compare(bytes, encoded)).toBe(0);
    }
  });

  test("is read after fetch() has decoded it, which leaves the field as it was", async () => {
    const server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Type": CHAT.type, "Content-Encoding": "gzip" });
      response.end(gzipSync(CHAT.body));
    });
    const answer = await fetch(server.url);
    expect(answer.headers.get("Content-Encoding")).toBe("gzip");
    const { told } = await readThrough(answer);
    expect(told).toEqual([CHAT.usage]);
    server.stop();
  });
});

test("no bytes make it throw, or tell numbers that do not fit together", async () => {
  const names = ["prompt_tokens", "input_tokens", "output_tokens", "total_tokens", "x_tokens"];
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 9 }),
    fc
      .constantFrom('{"usage":', '{"iterations":[', '"cache_read_input_tokens":', '{"a":', "}", "]")
      .map(bytesOf),
    fc
      .tuple(fc.constantFrom(...names), fc.oneof(fc.double(), fc.nat(), fc.constant("1e999")))
      .map(([name, number]) => bytesOf(`"${name}":${number},`)),
    fc.constantFrom(...SHAPES.map(({ body }) => bytesOf(body))),
    fc.constantFrom("data: ", "\n\n", "[", ",", '"', "\\").map(bytesOf),
  );
  const types = [...new Set(SHAPES.map(({ type }) => type))];
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom(...types),
      async (chunks, type) => {
        const { told } = await readThrough(streamed(chunks, type));
        expect(told).toHaveLength(1);
        if (!told[0]) return;
        const { inputTokens, outputTokens, totalTokens } = told[0];
        const { cachedTokens = 0, cacheWriteTokens = 0 } = told[0];
        const all = [inputTokens, outputTokens, totalTokens, cachedTokens, cacheWriteTokens];
        expect(all.every((each) => Number.isSafeInteger(each) && each >= 0)).toBe(true);
        expect(totalTokens).toBe(Math.min(Number.MAX_SAFE_INTEGER, inputTokens + outputTokens));
        expect(
          Math.min(Number.MAX_SAFE_INTEGER, cachedTokens + cacheWriteTokens),
        ).toBeLessThanOrEqual(inputTokens);
      },
    ),
    { numRuns: runs(2_000) },
  );
});

describe("memory", () => {
  const CHUNK = new Uint8Array(65_536).fill(0x61);
  const CHUNKS = IS_WHOLE ? 800 : 200;

  /** Many megabytes of the letter a between a start and an end; every chunk is the same memory. */
  function large(start: string, end: string, type: string): Response {
    let chunk = -1;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          chunk++;
          if (chunk === 0) controller.enqueue(bytesOf(start));
          else if (chunk <= CHUNKS) controller.enqueue(CHUNK);
          else {
            controller.enqueue(bytesOf(end));
            controller.close();
          }
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "Content-Type": type } });
  }

  test.each([
    ["one JSON text", '{"text":"', '","usage":{"total_tokens":5}}', "application/json"],
    ["one name", '{"', '":1,"usage":{"total_tokens":5}}', "application/json"],
    ["one word", '{"usage":{"time":', ',"prompt_tokens":5,"total_tokens":5}}', "application/json"],
    ["one text in a usage", '{"usage":{"tier":"', '","total_tokens":5}}', "application/json"],
    ["one event", 'data: {"text":"', '","usage":{"total_tokens":5}}\n\n', "text/event-stream"],
    ["one comment", ": ", '\ndata: {"usage":{"total_tokens":5}}\n\n', "text/event-stream"],
  ])("does not grow with a large body that is %s", async (_what, start, end, type) => {
    const used = () => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const onUsage = vi.fn();
    const reader = readUsage(large(start, end, type), onUsage).body!.getReader();
    const before = used();
    let most = 0;
    let [bytes, reads] = [0, 0];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length;
      if (reads++ % 16 === 0) most = Math.max(most, used() - before);
    }
    expect(bytes).toBe(CHUNKS * CHUNK.length + start.length + end.length);
    // The promises of the reads, until they are collected.
    expect(most).toBeLessThan(8_000_000);
    expect(onUsage.mock.calls).toEqual([[expect.objectContaining({ totalTokens: 5 })]]);
  });
});
