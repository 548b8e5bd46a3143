import { once } from "node:events";
import type { Socket } from "node:net";

import { beforeEach, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

import { quota } from "../../../support/gateway/gateway.ts";
import { startOnNode, useNode } from "./platforms.ts";
import { dial, exchange, type Message } from "./wire.ts";

const UPGRADE = [
  "Host: gateway.example",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
const asking = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, ...UPGRADE, ...fields, "", ""].join("\r\n");
const SWITCHED =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Own: 1\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

const RULES = [
  { path: "/once/*", policies: [quota("once", 1)], partition: ["header:x-test"] },
  {
    path: "/failures/*",
    policies: [{ ...quota("failures", 1), counts: "failures", when: { status: [400, 502] } }],
    partition: ["header:x-test"],
  },
  { path: "/*", policies: [quota("all", 1_000_000)] },
];

describe("a WebSocket through the gateway on Node", () => {
  const gateway = useNode({ RULES, ORIGIN_TIMEOUT: "2s" });

  beforeEach(() => {
    for (const socket of gateway.origin.sockets) socket.destroy();
    gateway.origin.seen.length = 0;
  });

  /** The origin's side of a socket that it has accepted, when a client asks for one. */
  async function opened(path: string, ...fields: string[]) {
    const accepted = Promise.withResolvers<Socket>();
    gateway.origin.script = (_asked, socket) => {
      socket.write(SWITCHED);
      accepted.resolve(socket);
      return once(socket, "close");
    };
    const { socket, reader } = await dial(gateway.url);
    socket.write(asking(path, ...fields));
    const answered = await reader.message("response");
    return { client: socket, reader, answered, origin: await accepted.promise };
  }

  test("is one of the origin's, which takes and sends messages", async () => {
    const origin = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(origin, "listening");
    origin.on("connection", (socket) => {
      socket.on("message", (data, binary) => socket.send(data, { binary }));
    });
    const { port } = origin.address() as { port: number };
    const other = await startOnNode({ ORIGIN: `http://127.0.0.1:${port}/base` });
    const socket = new WebSocket(`${other.url.replace("http", "ws")}/x`, ["chat"]);
    const [[response]] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
    expect(response.headers["sec-websocket-protocol"]).toBe("chat");
    for (const sent of ["hello", "x".repeat(200_000)]) {
      socket.send(sent);
      expect(String((await once(socket, "message"))[0])).toBe(sent);
    }
    socket.close(1000, "bye");
    expect((await once(socket, "close"))[0]).toBe(1000);
    await other.stop();
    origin.close();
  });

  test("brings the origin the client's fields and those of the gateway, and its bytes both ways", async () => {
    const accepted = Promise.withResolvers<Socket>();
    gateway.origin.script = (_asked, socket, reader) => {
      // The first bytes of the new protocol come with those of the old.
      socket.write(`${SWITCHED}down`);
      accepted.resolve(socket);
      return reader.until("up");
    };
    const { socket, reader } = await dial(gateway.url);
    socket.write(`${asking("/x?y", "X-Forwarded-For: 192.0.2.66", "X-Own: 1")}up`);
    const { line, fields } = await reader.message("response");
    expect([line, fields]).toEqual([
      "HTTP/1.1 101 Switching Protocols",
      [
        ["X-Own", "1"],
        ["Connection", "Upgrade"],
        ["Upgrade", "websocket"],
      ],
    ]);
    expect(await reader.take(4)).toBe("down");
    const [asked] = gateway.origin.seen as [Message];
    expect([asked.line, Object.fromEntries(asked.fields)]).toEqual([
      "GET /x?y HTTP/1.1",
      {
        Host: new URL(gateway.origin.url).host,
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "X-Own": "1",
        "X-Forwarded-For": "127.0.0.1",
        "X-Forwarded-Host": "gateway.example",
        "X-Forwarded-Proto": "http",
      },
    ]);
    socket.destroy();
    await once(await accepted.promise, "close");
  });

  test("is limited as a request: the second one is denied before the origin is asked", async () => {
    const field = `X-Test: ${crypto.randomUUID()}`;
    const { client } = await opened("/once/x", field);
    client.destroy();
    const before = gateway.origin.seen.length;
    const denied = await exchange(gateway.url, asking("/once/x", field));
    expect([denied.line, denied.isWhole]).toEqual(["HTTP/1.1 429 Too Many Requests", true]);
    expect(denied.fields).toContainEqual(["content-type", "application/problem+json"]);
    expect(gateway.origin.seen).toHaveLength(before);
  });

  test("is no failure while it is open, and one where the origin refuses it", async () => {
    const field = `X-Test: ${crypto.randomUUID()}`;
    const ask = async () => (await exchange(gateway.url, asking("/failures/x", field))).line;
    const { client } = await opened("/failures/x", field);
    gateway.origin.script = (_asked, socket) =>
      void socket.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    expect(await ask()).toBe("HTTP/1.1 400 Bad Request");
    expect(await ask()).toBe("HTTP/1.1 429 Too Many Requests");
    client.destroy();
  });

  test.each(["client", "origin"] as const)("ends when the %s ends it", async (who) => {
    const sides = await opened("/x");
    const other = who === "client" ? sides.origin : sides.client;
    const closed = once(other, "close");
    sides[who].resetAndDestroy();
    await closed;
    await expect.poll(() => gateway.origin.sockets.size).toBe(0);
  });

  test("that the origin does not want is answered by the origin, beside the decision", async () => {
    gateway.origin.script = (_asked, socket) => {
      socket.write("HTTP/1.1 426 Own\r\nX-Own: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
      socket.write("2\r\nno\r\n0\r\n\r\n");
    };
    const { line, fields, body, isWhole } = await exchange(gateway.url, asking("/x"));
    expect([line, body, isWhole]).toEqual(["HTTP/1.1 426 Own", "no", true]);
    expect(fields).toContainEqual(["RateLimit-Policy", '"all";q=1000000;w=2592000']);
    expect(fields).toContainEqual(["Connection", "close"]);
  });

  test.each([
    ["is away", 502, (socket: Socket) => socket.destroy()],
    ["is silent", 504, () => {}],
  ] as const)("whose origin %s is a %d", async (_what, status, answer) => {
    gateway.origin.script = (_asked, socket) => {
      answer(socket);
      return once(socket, "close");
    };
    const { line } = await exchange(gateway.url, asking("/x"));
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each([
    ["with a body", asking("/x", "Content-Length: 3") + "abc", 400],
    ["with a body in chunks", asking("/x", "Transfer-Encoding: chunked") + "0\r\n\r\n", 400],
    ["without a host", asking("/x").replace("Host: gateway.example\r\n", ""), 400],
    ["with a host that is a path", asking("/x").replace("gateway.example", "a/b"), 400],
    ["for a star", asking("*"), 400],
    ["as CONNECT", "CONNECT a.example:1 HTTP/1.1\r\nHost: a.example:1\r\n\r\n", 501],
  ])("%s is refused", async (_what, text, status) => {
    expect((await exchange(gateway.url, text)).line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(gateway.origin.seen).toEqual([]);
  });

  test("that the origin begins unasked is a 502, and its connection is closed", async () => {
    gateway.origin.script = (_asked, socket) => {
      socket.write(SWITCHED);
      return once(socket, "close");
    };
    const { line } = await exchange(gateway.url, "GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n");
    expect(line).toBe("HTTP/1.1 502 Bad Gateway");
    await expect.poll(() => gateway.origin.sockets.size).toBe(0);
  });

  test("leaves other protocols out, where older versions of Node let go of every upgrade", async () => {
    const { url, server, stop } = await startOnNode({ ORIGIN: gateway.origin.url });
    Object.assign(server, { shouldUpgradeCallback: () => true });
    gateway.origin.script = (_asked, socket) => void socket.write(OK);
    const text = asking("/x").replace("websocket", "h2c");
    const { line, fields } = await exchange(url, text);
    expect(line).toBe("HTTP/1.1 200 OK");
    expect(fields).toContainEqual(["Connection", "close"]);
    const [asked] = gateway.origin.seen as [Message];
    expect(asked.fields.map(([name]) => name)).not.toContain("Upgrade");
    const withBody = await exchange(
      url,
      `${asking("/x", "Content-Length: 1").replace("websocket", "h2c")}x`,
    );
    expect(withBody.line).toBe("HTTP/1.1 400 Bad Request");
    await stop();
  });

  test("leaves other protocols out, with the body of the request", async () => {
    gateway.origin.script = (_asked, socket) => void socket.write(OK);
    const text = asking("/x", "Content-Length: 2").replace("websocket", "h2c") + "hi";
    expect((await exchange(gateway.url, text)).line).toBe("HTTP/1.1 200 OK");
    const [{ body, fields }] = gateway.origin.seen as [Message];
    expect(body).toBe("hi");
    expect(fields.map(([name]) => name)).not.toContain("Upgrade");
  });
});

test("open WebSockets end before a server that closes", async () => {
  const origin = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(origin, "listening");
  const { port } = origin.address() as { port: number };
  const { url, endSockets, stop } = await startOnNode({ ORIGIN: `http://127.0.0.1:${port}` });
  const socket = new WebSocket(url.replace("http", "ws"));
  await once(socket, "open");
  const closed = once(socket, "close");
  endSockets();
  await closed;
  await stop();
  await expect.poll(() => origin.clients.size).toBe(0);
  origin.close();
});

test("a WebSocket that reaches the gateway as a request is refused", async () => {
  const { url, stop } = await startOnNode({ ORIGIN: "http://127.0.0.1:1" }, { upgrades: false });
  const { line, body } = await exchange(url, asking("/x"));
  expect(line).toBe("HTTP/1.1 501 Not Implemented");
  expect(JSON.parse(body).detail).toBe("The gateway passes no WebSocket on here.");
  await stop();
});
