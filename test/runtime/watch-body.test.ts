import { expect, test, vi } from "vitest";

import { type BodyWatcher, watchBody } from "../../src/runtime/watch-body.ts";
import { nextOf, streamed } from "../support/adapter/background.ts";

/** A response whose body is watched, its source, and the watcher's record. */
function watched() {
  const source = streamed();
  const chunks: string[] = [];
  const end = vi.fn();
  const watcher: BodyWatcher = {
    chunk: (bytes) => void chunks.push(new TextDecoder().decode(bytes)),
    end,
  };
  const given = new Response(source.body, { status: 203, headers: { "x-own": "1" } });
  const response = watchBody(given, watcher);
  return { ...source, chunks, end, response, reader: response.body!.getReader() };
}

test("each chunk is passed on at once, as it is, and the end is told once", async () => {
  const { send, close, chunks, end, response, reader } = watched();
  expect([response.status, response.headers.get("x-own")]).toEqual([203, "1"]);
  for (const text of ["one", "two"]) {
    send(text);
    expect(await nextOf(reader)).toBe(text);
  }
  expect(chunks).toEqual(["one", "two"]);
  expect(end).not.toHaveBeenCalled();
  close();
  expect(await nextOf(reader)).toBeUndefined();
  expect(await nextOf(reader)).toBeUndefined();
  await reader.cancel();
  expect(end).toHaveBeenCalledExactlyOnceWith(true);
});

test("no chunk is read ahead of the client", async () => {
  const { state, send, reader } = watched();
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.pulls).toBe(0);
  const first = nextOf(reader);
  await vi.waitFor(() => expect(state.pulls).toBe(1));
  send("one");
  expect(await first).toBe("one");
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.pulls).toBe(1);
});

test.each(["before the first chunk", "after a chunk", "while it waits for one"])(
  "a client that hangs up %s cancels the source, and that is the end",
  async (when) => {
    const { state, send, end, reader } = watched();
    if (when === "after a chunk") {
      send("one");
      await nextOf(reader);
    }
    const waiting = when === "while it waits for one" ? nextOf(reader) : undefined;
    await reader.cancel("gone");
    expect(await waiting).toBeUndefined();
    expect(state.cancelled).toBe("gone");
    expect(end).toHaveBeenCalledExactlyOnceWith(false);
  },
);

test("a body that fails fails for the client with the same error", async () => {
  const { send, fail, end, reader } = watched();
  send("one");
  await nextOf(reader);
  const error = new Error("the origin hung up");
  fail(error);
  await expect(reader.read()).rejects.toBe(error);
  expect(end).toHaveBeenCalledExactlyOnceWith(false);
});

test("a watcher that throws fails the body before the chunk is passed on, and lets the source go", async () => {
  const { state, body, send } = streamed();
  const error = new Error("too many");
  const end = vi.fn();
  const watcher = {
    chunk() {
      throw error;
    },
    end,
  };
  const reader = watchBody(new Response(body), watcher).body!.getReader();
  send("one");
  await expect(reader.read()).rejects.toBe(error);
  expect(end).toHaveBeenCalledExactlyOnceWith(false);
  expect(state.cancelled).toBe(error);
});

test("a source that cannot be cancelled ends all the same", async () => {
  const end = vi.fn();
  const body = new ReadableStream({ cancel: () => Promise.reject(new Error("stuck")) });
  const response = watchBody(new Response(body), { end });
  await expect(response.body!.cancel()).rejects.toThrow("stuck");
  expect(end).toHaveBeenCalledExactlyOnceWith(false);
});

test("a watcher within another one is told first, however the body ends", async () => {
  for (const how of ["end", "cancel", "error"]) {
    const source = streamed();
    const told: string[] = [];
    const inner = watchBody(new Response(source.body), { end: () => void told.push("inner") });
    const reader = watchBody(inner, { end: () => void told.push("outer") }).body!.getReader();
    if (how === "end") source.close();
    if (how === "error") source.fail(new Error("gone"));
    await (how === "cancel" ? reader.cancel() : reader.read().catch(() => {}));
    expect([how, ...told]).toEqual([how, "inner", "outer"]);
  }
});

test.each([
  ["without a body", () => new Response(null, { status: 204 })],
  [
    "that switches protocols",
    () => Object.defineProperty(new Response("s"), "status", { value: 101 }),
  ],
])("a response %s is left as it is, and has ended", async (_, make) => {
  const end = vi.fn();
  const response = make();
  expect(watchBody(response, { end })).toBe(response);
  expect(end).toHaveBeenCalledExactlyOnceWith(true);
});

test("where streams have to know their length, they are told it, but not that of an encoded body", async () => {
  const lengths: number[] = [];
  class FixedLengthStream extends TransformStream {
    constructor(length: number) {
      super();
      lengths.push(length);
    }
  }
  vi.stubGlobal("FixedLengthStream", FixedLengthStream);
  const end = vi.fn();
  for (const headers of [
    { "Content-Length": "5" },
    {},
    { "Content-Length": "9", "Content-Encoding": "gzip" },
  ]) {
    const response = watchBody(new Response("hello", { headers } as ResponseInit), { end });
    expect(await response.text()).toBe("hello");
  }
  vi.unstubAllGlobals();
  expect(lengths).toEqual([5]);
  expect(end).toHaveBeenCalledTimes(3);
});
