import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { httpServer } from "../../packages/redis-rest/src/http-server.ts";

/* The memory of answers. The server is the bridge's own; its answers are ready, and come from no Redis. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** More than the two ends of a connection keep: 20 MB in ten million characters. */
const LARGE = "é".repeat(10_000_000);

async function serve(answerTo: (path: string) => Promise<string>): Promise<Server> {
  const server = httpServer({
    refuseCrossSite() {},
    authenticate() {},
    execute: (ask) => answerTo(ask.kind === "command" ? ask.command.name : ""),
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return server;
}

interface Asked {
  readonly client: Socket;
  readonly response: ServerResponse;
}

/** A client that asks and does not fetch the answer. */
async function ask(server: Server, path: string): Promise<Asked> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {}).pause();
  onTestFinished(() => void client.destroy());
  client.write(`GET /${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  return { client, response };
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

async function statusOf({ response }: Asked): Promise<number> {
  while (!response.headersSent) await turn();
  return response.statusCode;
}

test("answers that clients do not fetch are bounded in bytes, and short ones are sent meanwhile", async () => {
  const server = await serve(async (name) => (name === "LARGE" ? LARGE : "short"));
  // 64 MiB are three of them in bytes, and six in characters.
  const greedy = [];
  for (let i = 0; i < 3; i++) greedy.push(await ask(server, "large"));
  for (const asked of greedy) expect(await statusOf(asked)).toBe(200);
  const refused = await ask(server, "large");
  expect(await statusOf(refused)).toBe(503);
  const [text] = (await once(refused.client.resume(), "data")) as [Buffer];
  expect(text.toString()).toContain(
    "ERR clients leave too many answers unfetched. The command has run, and its reply is dropped",
  );
  expect(await statusOf(await ask(server, "short"))).toBe(200);

  const [{ client, response }] = greedy as [Asked];
  client.destroy();
  await once(response, "close");
  expect(await statusOf(await ask(server, "large"))).toBe(200);
});

test("a request that is given up before its answer is there takes nothing of the memory for others", async () => {
  let answered = Promise.withResolvers<string>();
  const server = await serve(() => answered.promise);
  for (let round = 0; round < 4; round++) {
    const { client, response } = await ask(server, "large");
    client.destroy();
    await once(response, "close");
    answered.resolve(LARGE);
    answered = Promise.withResolvers<string>();
    await turn();
  }
  answered.resolve(LARGE);
  expect(await statusOf(await ask(server, "large"))).toBe(200);
  expect(await statusOf(await ask(server, "large"))).toBe(200);
});

test("an answer is given up that its client has not fetched after 30 seconds", async () => {
  const server = await serve(async () => LARGE);
  const asked = await ask(server, "large");
  await statusOf(asked);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(asked.response.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.response.destroyed).toBe(true);
});

test("a client has 30 seconds to send a request, whose memory others need", async () => {
  expect((await serve(async () => "short")).requestTimeout).toBe(30_000);
});

test("a connection is kept for longer than clients keep it", async () => {
  const { client } = await ask(await serve(async () => "short"), "short");
  const [text] = (await once(client.resume(), "data")) as [Buffer];
  expect(text.toString().toLowerCase()).toContain("\r\nkeep-alive: timeout=75\r\n");
});

test("an answer that is fetched leaves no timer behind", async () => {
  const server = await serve(async () => "short");
  const { client, response } = await ask(server, "short");
  client.resume();
  if (!response.closed) await once(response, "close");
  expect(vi.getTimerCount()).toBe(0);
});
