import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { httpServer } from "../../src/node/bridge/http-server.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A server whose answers have this many bytes, a client that asks for one, and the response that it gets. */
async function asked(bytes: number, reads: boolean): Promise<ServerResponse> {
  const server = httpServer({
    refuseCrossSite() {},
    authenticate() {},
    execute: async () => "x".repeat(bytes),
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write("GET /PING HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  if (reads) client.resume();
  else client.pause();
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  while (!response.headersSent) await new Promise((resolve) => void setImmediate(resolve));
  return response;
}

test("an answer is given up that its client has not fetched after 30 seconds", async () => {
  const response = await asked(30_000_000, false);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(response.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(response.destroyed).toBe(true);
});

test("an answer that is fetched leaves no timer behind", async () => {
  const response = await asked(10, true);
  if (!response.closed) await once(response, "close");
  expect(vi.getTimerCount()).toBe(0);
});
