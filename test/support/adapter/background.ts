import type { ExecutionContext } from "hono";

/** A platform's execution context that notes promises that outlive a response. */
export function background() {
  const promises: Promise<unknown>[] = [];
  const context = {
    waitUntil: (promise: Promise<unknown>) => void promises.push(promise),
    passThroughOnException() {},
    props: {},
  } as ExecutionContext;
  return {
    context,
    promises,
    /** Resolves when everything that was noted is done. */
    done: () => Promise.all(promises),
  };
}

/** A body that sends the test's chunks, and notes its fate. */
export function streamed() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const state = { pulls: 0, cancelled: undefined as unknown };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => void (controller = given),
      pull: () => void state.pulls++,
      cancel: (reason) => void (state.cancelled = reason),
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    state,
    send: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
    close: () => controller.close(),
    fail: (error: Error) => controller.error(error),
  };
}

/** The next chunk as text; `undefined` at the end. */
export async function nextOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<string | undefined> {
  const { value } = await reader.read();
  return value && new TextDecoder().decode(value);
}
