import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { type Bridge, startBridge } from "../../src/node/bridge/bridge.ts";
import { ask, error, result, token } from "../support/bridge/harness.ts";

let server: RedisServer;
let bridge: Bridge;
beforeAll(async () => {
  server = await startRedisServer();
  bridge = await startBridge({ redis: server.url, port: 0, token });
});
afterAll(async () => {
  await bridge.close();
  await server.stop();
});

/** Other clients, each of whose replies is checked. */
async function others(): Promise<void> {
  const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
  const answers = await Promise.all(texts.map((text) => ask(bridge, ["ECHO", text])));
  expect(answers).toEqual(texts.map(result));
}

const pings = (count: number) => Array.from({ length: count }, () => ["PING"]);

test("a batch has at most 5,000 commands", async () => {
  for (const path of ["/pipeline", "/multi-exec"]) {
    const [most, more] = await Promise.all([
      ask(bridge, { path, body: pings(5_000) }),
      ask(bridge, { path, body: pings(5_001) }),
      others(),
    ]);
    expect([path, most.status, (most.body as unknown[]).length]).toEqual([path, 200, 5_000]);
    expect(more).toEqual(
      error("ERR too many commands in one request. Limit: 5000, Actual: 5001", 413),
    );
  }
});

test("a request has at most 100,000 arguments, in one command or in all of them", async () => {
  const values = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);
  const tooMany = /^ERR too many arguments in one request\. Limit: 100000, Actual: 1000\d\d$/;
  const sadd = (key: string, count: number) => ["SADD", key, ...values(count - 2)];
  expect(await ask(bridge, sadd("most", 100_000))).toEqual(result(99_998));
  for (const request of [
    sadd("more", 100_001),
    { path: "/pipeline", body: [sadd("a", 50_000), sadd("b", 50_001)] },
  ]) {
    const [answer] = await Promise.all([ask(bridge, request), others()]);
    expect(answer).toMatchObject({ status: 413, body: { error: expect.stringMatching(tooMany) } });
  }
  expect(await ask(bridge, ["EXISTS", "more", "a", "b"])).toEqual(result(0));
});

test("a reply is nested at most a hundred deep", async () => {
  const nested = (depth: number) =>
    `local list = 1 for i = 1, ${depth} do list = { list } end return list`;
  const [deep] = await Promise.all([ask(bridge, ["EVAL", nested(101), "0"]), others()]);
  expect(deep).toEqual(error("ERR the reply is nested deeper than 100"));
  const { status, body } = await ask(bridge, ["EVAL", nested(100), "0"]);
  expect([status, JSON.stringify(body).split("[").length - 1]).toEqual([200, 100]);
  await ask(bridge, { path: "/pipeline", body: [["EVAL", nested(500), "0"], ["PING"]] });
  await others();
});

/** A connection on which a test writes requests as it likes. */
async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(bridge.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

const requestOf = (command: unknown, bearer = token) => {
  const body = JSON.stringify(command);
  return `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bearer}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test("a request without the token is the last of its connection", async () => {
  const before = bridge.requests;
  const socket = await open();
  socket.write(requestOf(["PING"], "wrong").repeat(20_000));
  const [text] = await Promise.all([
    new Promise<string>((resolve) => {
      let received = "";
      socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
      socket.on("error", () => {}).on("close", () => resolve(received));
    }),
    others(),
  ]);
  expect(text.startsWith("HTTP/1.1 401")).toBe(true);
  expect(text.toLowerCase()).toContain("connection: close");
  // What one read of the socket held, beside the twenty of the others.
  expect(bridge.requests - before).toBeLessThan(1_000);
});
