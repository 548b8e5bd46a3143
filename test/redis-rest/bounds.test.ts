import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";

import { expect, onTestFinished, test } from "vitest";

import type { Backend } from "../../packages/redis-rest/src/backend.ts";
import { boundReplies } from "../../packages/redis-rest/src/bound-replies.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { encodeReply, execute } from "../../packages/redis-rest/src/execute.ts";
import { random } from "../support/random.ts";
import {
  ask,
  error,
  others as othersOf,
  result,
  token,
  useBridge,
} from "../support/redis-rest/harness.ts";

let bridge: Bridge;
useBridge((started) => ({ bridge } = started));
const others = () => othersOf(bridge);

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
  await ask(bridge, ["DEL", "most"]);
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

const turn = () => new Promise((resolve) => void setImmediate(resolve));

const TOO_LARGE =
  "ERR the reply has more than 250000 elements or 10485760 bytes. The command has run. Read it in parts, as with SSCAN or LRANGE";

/** A list of this many elements, or one that holds lists of them. */
const listOf = (elements: number, lists = 1) =>
  `local list = {} for i = 1, ${elements} do list[i] = i end
   local all = {} for i = 1, ${lists} do all[i] = list end
   return ${lists === 1 ? "list" : "all"}`;
const textOf = (bytes: number) => `return string.rep('x', ${bytes})`;

test.each([
  ["elements", listOf(250_000), listOf(250_001)],
  ["elements of lists in it", listOf(24_999, 10), listOf(25_000, 10)],
  ["bytes", textOf(1_000_000), textOf(10_485_760)],
])("a reply has a bound of %s, and the replies around it are whole", async (_, most, more) => {
  const [answer, refused] = await Promise.all([
    ask(bridge, ["EVAL", most, "0"]),
    ask(bridge, ["EVAL", more, "0"]),
    others(),
  ]);
  expect(answer.status).toBe(200);
  expect(refused).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^ERR the reply has more than \d+ (?:elem|char)/) },
  });
  const body = [
    ["ECHO", "before"],
    ["EVAL", more, "0"],
    ["ECHO", "after"],
  ];
  expect((await ask(bridge, { path: "/pipeline", body })).body).toEqual([
    { result: "before" },
    refused.body,
    { result: "after" },
  ]);
});

test("a transaction is one reply, and all of its commands have run", async () => {
  const body = [
    ["SET", "done", "yes"],
    ["EVAL", listOf(200_000), "0"],
    ["EVAL", listOf(200_000), "0"],
  ];
  const [answer] = await Promise.all([ask(bridge, { path: "/multi-exec", body }), others()]);
  expect(answer).toEqual(error(TOO_LARGE));
  expect(await ask(bridge, ["GET", "done"])).toEqual(result("yes"));
});

test("the replies to a pipeline are bounded together, and short ones still fit", async () => {
  const replies = [...Array<Buffer>(4).fill(Buffer.alloc(10_000_000, "x")), Buffer.from("PONG")];
  const commands = replies.map((_, i) => ({ name: "GET", args: [`${i}`] }));
  const backend: Backend = {
    connected: async () => true,
    send: async ({ args }) => replies[Number(args[0])]!,
    transaction: async () => [],
    close() {},
  };
  const text = await execute({ kind: "pipeline", commands }, () => {}, backend, false);
  const answers = JSON.parse(text) as { result?: string; error?: string }[];
  expect(answers.map(({ result: found, error: why }) => found?.length ?? why)).toEqual([
    10_000_000,
    10_000_000,
    10_000_000,
    "ERR the replies to one pipeline have more than 33554432 characters. The command has run, and its reply is dropped",
    4,
  ]);
});

test("a text of control characters may be as long as its JSON, and in base64 as long as any", () => {
  const text = Buffer.alloc(5_700_000, "\u0001");
  expect(() => encodeReply(text, false)).toThrow("more than 33554432 characters as JSON");
  expect(encodeReply(text, true)).toHaveLength(7_600_002);
  expect(encodeReply(Buffer.alloc(5_700_000, "x"), false)).toHaveLength(5_700_002);
});

test("replies pass as they are, wherever the network cuts them, and one that goes on for long is no silence", async () => {
  const draw = random(23);
  const upTo = (most: number) => Math.floor(draw() * most);
  const values = [
    () => "+OK\r\n",
    () => "-ERR no\r\n",
    () => `:${upTo(2) === 0 ? "-" : ""}${upTo(1e6)}\r\n`,
    () => "$-1\r\n",
    () => "*-1\r\n",
    () => "*0\r\n",
    () => "$0\r\n\r\n",
    () => "$9\r\n*3\r\n$5\r\n-\r\n",
    (): string => {
      const length = upTo(4);
      return `*${length}\r\n${Array.from({ length }, () => values[upTo(9)]!()).join("")}`;
    },
  ];
  // The last one has exactly as many bytes as a reply may have.
  const sound = Array.from({ length: 300 }, () => values[upTo(9)]!());
  sound.push(`$10485747\r\n${"x".repeat(10_485_747)}\r\n`);
  expect(sound.at(-1)).toHaveLength(10_485_760);
  const large = [
    "*250001\r\n".padEnd(250_001 * 4 + 9, ":1\r\n"),
    `$10485748\r\n${"x".repeat(10_485_748)}\r\n`,
  ];
  expect(large[0]).toHaveLength(250_001 * 4 + 9);
  const given = sound.flatMap((text, i) => (i % 100 === 50 ? [text, large[i % 2]!] : [text]));
  const expected = sound.flatMap((text, i) =>
    i % 100 === 50 ? [text, `-${TOO_LARGE}\r\n`] : [text],
  );
  const bytes = Buffer.from(given.join(""));

  const stream = new Readable({ read() {} });
  boundReplies(stream as never);
  const received: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => void received.push(chunk));
  await turn();
  let pushes = 0;
  for (let at = 0; at < bytes.length; pushes++) {
    const size = 1 + upTo(upTo(3) === 0 ? 100_000 : 30);
    const before = received.length;
    stream.push(bytes.subarray(at, at + size));
    expect(received.length).toBeGreaterThan(before);
    at += size;
  }
  expect(Buffer.concat(received).toString("latin1")).toBe(expected.join(""));
  expect(pushes).toBeGreaterThan(100);
});

/** A connection on which a test writes requests as it likes. */
async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(bridge.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

const requestOf = (command: unknown, bearer: string, host: string) => {
  const body = JSON.stringify(command);
  return `POST / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${bearer}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test.each([
  ["without the token", 401, "wrong", "127.0.0.1"],
  ["of another site", 403, token, "evil.example"],
])("a request %s is the last of its connection", async (_, status, bearer, host) => {
  const before = bridge.requests;
  const socket = await open();
  socket.write(requestOf(["PING"], bearer, host).repeat(20_000));
  const [text] = await Promise.all([
    new Promise<string>((resolve) => {
      let received = "";
      socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
      socket.on("error", () => {}).on("close", () => resolve(received));
    }),
    others(),
  ]);
  expect(text.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
  expect(text.toLowerCase()).toContain("connection: close");
  // The bytes of one read of the socket, beside the twenty of the others.
  expect(bridge.requests - before).toBeLessThan(1_000);
});

test.each([
  ["without the token", 401, "wrong", "127.0.0.1"],
  ["of another site", 403, token, "evil.example"],
])(
  "a request %s is refused before its body, which is not read",
  async (_, status, bearer, host) => {
    const socket = await open();
    const start = requestOf(["PING"], bearer, host).split("Content-Length")[0];
    socket.write(`${start}Content-Length: 10000000\r\n\r\n`);
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString("latin1")).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  },
);
