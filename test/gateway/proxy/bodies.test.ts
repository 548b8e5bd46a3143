import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";

import { describe, expect, test } from "vitest";

import { gatewayTo, generous, startOrigin } from "../../support/gateway/gateway.ts";

const MEGABYTES = 16;
const chunk = new Uint8Array(1 << 20).fill(42);

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const bytes = (text: string) => new TextEncoder().encode(text);

/** An origin whose requests the test answers itself. */
async function manualOrigin() {
  const arrived = Promise.withResolvers<[IncomingMessage, ServerResponse]>();
  const origin = await startOrigin((...pair) => arrived.resolve(pair));
  return { ask: gatewayTo(origin.url, generous), arrived: arrived.promise };
}

describe("bodies are streamed", () => {
  test("both ways: each part arrives before the next is sent", async () => {
    const { ask, arrived } = await manualOrigin();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const asked = ask("/x", { method: "POST", body: readable, duplex: "half" });
    const sent = writer.write(bytes("up 1"));
    const [request, response] = await arrived;
    expect(text((await once(request, "data"))[0])).toBe("up 1");
    await sent;
    response.write("down 1");
    const reader = (await asked).body!.getReader();
    expect(text((await reader.read()).value)).toBe("down 1");
    const last = once(request, "data");
    await writer.write(bytes("up 2"));
    expect(text((await last)[0])).toBe("up 2");
    const end = once(request, "end");
    await writer.close();
    await end;
    response.end("down 2");
    expect(text((await reader.read()).value)).toBe("down 2");
    expect((await reader.read()).done).toBe(true);
  });

  test("both at once, however large", async () => {
    const origin = await startOrigin((request, response) => void request.pipe(response));
    let left = MEGABYTES;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const ask = gatewayTo(origin.url, generous);
    const answer = await ask("/x", { method: "PUT", body, duplex: "half" });
    let received = 0;
    for await (const part of answer.body!) received += part.length;
    expect(received).toBe(MEGABYTES * chunk.length);
  });

  test("from the origin no faster than the client reads", async () => {
    let written = 0;
    const origin = await startOrigin((_request, response) => {
      const write = () => {
        while (written < 64 && response.write(chunk)) written++;
        if (written < 64) response.once("drain", write);
        else response.end();
      };
      write();
    });
    const answer = await gatewayTo(origin.url, generous)("/x");
    const reader = answer.body!.getReader();
    await reader.read();
    // The count stops once every buffer between is full.
    for (let before = -1; before !== written;) {
      before = written;
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    }
    expect(written).toBeLessThan(32);
    await reader.cancel();
  });

  test("until the client goes away: then the origin is let go, too", async () => {
    const { ask, arrived } = await manualOrigin();
    const client = new AbortController();
    const asked = ask("/x", { signal: client.signal });
    const [, response] = await arrived;
    response.write("first");
    const reader = (await asked).body!.getReader();
    await reader.read();
    const closed = once(response, "close");
    client.abort();
    await closed;
    await expect(reader.read()).rejects.toThrow();
  });
});
