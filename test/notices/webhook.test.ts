import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { keyIn } from "../../src/gateway/config/sign-webhook.ts";
import { createWebhook } from "../../src/gateway/config/webhook.ts";
import { type Answering, openReceiver, type Receiver, SECRET } from "./receiver.ts";

const OTHER = `whsec_${btoa("another key of thirty-two bytes!")}`;
const MESSAGE = { id: "tg:{user:42}:api!0.8/100:f3:1h@1", body: { type: "limit.reached" } };
const QUICK = { tryMs: 5_000, pausesMs: [1, 1, 1] };

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.stop());

const sender = (secrets = [SECRET], { url = receiver.url, pace = QUICK } = {}) =>
  createWebhook({ url, keys: secrets.map((secret) => keyIn(secret)!) }, pace);

test("a message is verified by the reference library, with either key while one is replaced", async () => {
  await sender([SECRET, OTHER])(MESSAGE);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  for (const secret of [SECRET, OTHER]) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(MESSAGE.body);
  }
  expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow("signature");
  expect(headers["content-type"]).toBe("application/json");
  expect(headers["webhook-id"]).toMatch(/^msg_[A-Za-z0-9]{30,}$/);
  expect(JSON.stringify(headers)).not.toContain("user:42");
});

test("a message that is sent again has the same id and a signature of its own, another message another id", async () => {
  let tries = 0;
  receiver.answer = (response) => response.writeHead(tries++ < 2 ? 503 : 200).end();
  await sender()(MESSAGE);
  await sender()(MESSAGE);
  await sender()({ ...MESSAGE, id: "another" });
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids.slice(0, 4)).size).toBe(1);
  expect(new Set(ids).size).toBe(2);
  for (const { body, headers } of receiver.received) new Webhook(SECRET).verify(body, headers);
});

describe("a receiver that", () => {
  test.each<[name: string, answer: Answering, why: RegExp]>([
    ["refuses", (response) => response.writeHead(410).end(), /410/],
    ["resets the connection", (_response, request) => request.socket.resetAndDestroy(), /./],
    [
      "has fields without end",
      (response) => {
        for (let i = 0; i < 100; i++) response.setHeader(`x-${i}`, "y".repeat(1_000));
        response.end();
      },
      /./,
    ],
  ])("%s is tried four times, and no more", async (_name, answer, why) => {
    receiver.answer = answer;
    await expect(sender()(MESSAGE)).rejects.toThrow(why);
    expect(receiver.received).toHaveLength(4);
  });

  test("never answers is given up", async () => {
    receiver.answer = () => {};
    const sent = sender([SECRET], { pace: { ...QUICK, tryMs: 100 } })(MESSAGE);
    await expect(sent).rejects.toThrow("no answer in time");
    // One that is given up early may not arrive at all.
    expect(receiver.received.length).toBeLessThanOrEqual(4);
  });

  test.each([301, 302, 303, 307, 308])(
    "leads elsewhere by a %d is not followed",
    async (status) => {
      const inside = await openReceiver();
      receiver.answer = (response) => response.writeHead(status, { location: inside.url }).end();
      await expect(sender()(MESSAGE)).rejects.toThrow(String(status));
      expect(inside.received).toEqual([]);
      await inside.stop();
    },
  );

  test("sends a body without end has taken the message, and its connection is closed", async () => {
    const closed = new Promise((resolve) => {
      receiver.answer = (response) => {
        response.once("close", resolve);
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        };
        response.on("drain", more);
        more();
      };
    });
    await sender()(MESSAGE);
    await closed;
    expect(receiver.received).toHaveLength(1);
  });

  test("is not there, or speaks no HTTP, is an error", async () => {
    const silent = createServer((socket) => void socket.end("hello\r\n\r\n"));
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = silent.address() as AddressInfo;
    const send = sender([SECRET], { url: `http://127.0.0.1:${port}/` });
    await expect(send(MESSAGE)).rejects.toThrow();
    silent.close();
    await expect(send(MESSAGE)).rejects.toThrow();
  });

  test("takes its time gets 20 messages at once, and none is lost silently", async () => {
    const waiting: (() => void)[] = [];
    receiver.answer = (response) => void waiting.push(() => response.writeHead(200).end());
    const send = createWebhook({ url: receiver.url, keys: [keyIn(SECRET)!] });
    const sent = Array.from({ length: 21 }, (_, i) => send({ id: `${i}`, body: {} }));
    await expect(sent[20]).rejects.toThrow("20 notices are under way");
    while (waiting.length < 20) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const answer of waiting) answer();
    await Promise.all(sent.slice(0, 20));
    receiver.answer = (response) => response.writeHead(200).end();
    await send({ id: "21", body: {} });
    expect(receiver.received).toHaveLength(21);
  });
});

test.each([
  [23, undefined],
  [24, 24],
  [64, 64],
  [65, undefined],
])("a key of %d bytes has %s", (length, bytes) => {
  expect(keyIn(`whsec_${btoa("k".repeat(length))}`)?.length).toBe(bytes);
});

test("no timer is left", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const send = createWebhook({ url: receiver.url, keys: [keyIn(SECRET)!] });
  await send(MESSAGE);
  expect(timers()).toBeLessThanOrEqual(before);
});
