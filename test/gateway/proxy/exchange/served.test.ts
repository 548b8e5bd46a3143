import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo, Socket } from "node:net";

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createGateway } from "../../../../src/gateway/gateway.ts";
import { generous, quota } from "../../../support/gateway/gateway.ts";
import { dial, exchange, startWireOrigin, type WireOrigin } from "./wire.ts";

const OK = "HTTP/1.1 200 OK\r\nX-Own: 1\r\nx-own: 2\r\nContent-Length: 2\r\n\r\nok";
const GET = "GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n";

interface Handler {
  fetch(request: Request, bindings: never): Response | Promise<Response>;
}

async function originOf(text = OK): Promise<WireOrigin> {
  const origin = await startWireOrigin();
  onTestFinished(() => origin.close());
  origin.script = (_asked, socket) => void socket.write(text, "latin1");
  return origin;
}

const gatewayTo = ({ url }: WireOrigin, variables: object = {}) =>
  createGateway({
    ORIGIN: url,
    STORE: "memory",
    CLIENT_IP: "socket",
    RULES: generous,
    ...variables,
  });

/** Serves code on Node as people do. */
async function servedBy(handler: Handler) {
  const server = serve({ fetch: handler.fetch as never, port: 0, hostname: "127.0.0.1" });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("policies that count failures", () => {
  const login = {
    path: "/*",
    policies: [{ ...quota("login", 2), counts: "failures", when: { status: [401, 502, 599] } }],
    partition: ["ip"],
  };

  /** How many failures are left after an answer of the origin. */
  async function leftAfter(answer: (socket: Socket) => unknown, client?: (socket: Socket) => void) {
    const origin = await originOf();
    const { url } = await servedBy(gatewayTo(origin, { RULES: [login] }));
    origin.script = (_asked, socket) => answer(socket);
    if (client) {
      const { socket, reader } = await dial(url);
      socket.write(GET);
      await reader.until("first");
      client(socket);
    } else {
      await exchange(url, GET);
    }
    origin.script = (_asked, socket) => void socket.write(OK);
    const left = async () => {
      const { fields } = await exchange(url, GET);
      return Number(fields.find(([name]) => name === "X-RateLimit-Remaining")?.[1]) + 1;
    };
    return { left };
  }

  const answering = (status: number) => (socket: Socket) =>
    void socket.write(`HTTP/1.1 ${status} Own\r\nContent-Length: 5\r\n\r\nfirst`);
  const breakingOff = (status: number) => (socket: Socket) => {
    socket.end(`HTTP/1.1 ${status} Own\r\nContent-Length: 9\r\n\r\nfirst`);
  };
  const goingOn = (status: number) => (socket: Socket) =>
    void socket.write(`HTTP/1.1 ${status} Own\r\nContent-Length: 9\r\n\r\nfirst`);

  test.each([
    ["200", 2, answering(200)],
    ["401", 1, answering(401)],
    ["599", 1, answering(599)],
    ["a status that no `Response` has", 2, answering(999)],
    ["200 that breaks off", 2, breakingOff(200)],
    ["401 that breaks off", 1, breakingOff(401)],
    ["nothing", 1, (socket: Socket) => void socket.destroy()],
  ])("know an answer by its status: %s leaves %d", async (_what, expected, answer) => {
    vi.spyOn(console, "warn").mockReturnValue();
    const { left } = await leftAfter(answer);
    await expect.poll(left).toBe(expected);
  });

  test.each([
    [200, 2],
    [401, 1],
  ])("settle when a client leaves in the middle of a %d: %d are left", async (status, expected) => {
    const { left } = await leftAfter(goingOn(status), (socket) => void socket.resetAndDestroy());
    await expect.poll(left).toBe(expected);
  });
});

test("a client of HTTP/1.0 is told by a reset that a body has broken off", async () => {
  const origin = await originOf();
  origin.script = (_asked, socket) => {
    socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
  };
  const { url } = await servedBy(gatewayTo(origin));
  const { socket, reader } = await dial(url);
  const failed = once(socket, "error");
  socket.write("GET /x HTTP/1.0\r\nHost: x\r\n\r\n");
  await reader.until("\r\n\r\n");
  expect((await failed)[0].code).toBe("ECONNRESET");
});

test("nothing is left behind on a connection after its requests", async () => {
  const origin = await originOf();
  const { server, url } = await servedBy(gatewayTo(origin));
  const connected = once(server, "connection");
  const { socket, reader } = await dial(url);
  const [ours] = (await connected) as [Socket];
  const counts: Record<string, number>[] = [];
  for (let i = 0; i < 4; i++) {
    const body =
      i % 2 ? "Content-Length: 5\r\n\r\nhello" : "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    socket.write(`POST /x HTTP/1.1\r\nHost: x\r\n${body}`);
    await reader.message("response");
    await new Promise(setImmediate);
    const names = [...ours.eventNames(), "close", "error", "data"];
    counts.push(Object.fromEntries(names.map((name) => [name, ours.listenerCount(name)])));
  }
  expect(counts.slice(1)).toEqual(counts.slice(1).map(() => counts[0]));
  expect(origin.sockets.size).toBe(1);
  socket.destroy();
});

describe("code around the gateway", () => {
  test("sees the status of an answer that has been written", async () => {
    const origin = await originOf("HTTP/1.1 404 Own\r\nContent-Length: 2\r\n\r\nno");
    const gateway = gatewayTo(origin);
    const seen: number[] = [];
    const { url } = await servedBy({
      async fetch(request, bindings) {
        const response = await gateway.fetch(request, bindings);
        seen.push(response.status);
        return response;
      },
    });
    const { line, body } = await exchange(url, GET);
    expect([line, body, seen]).toEqual(["HTTP/1.1 404 Own", "no", [404]]);
  });

  test("changes fields of a request, and the origin gets those that the rules saw", async () => {
    const origin = await originOf();
    const gateway = gatewayTo(origin);
    const { url } = await servedBy({
      fetch(request, bindings) {
        request.headers.set("X-Plan", "gold");
        request.headers.delete("X-User");
        request.headers.append("X-More", "2");
        return gateway.fetch(request, bindings);
      },
    });
    await exchange(
      url,
      GET.replace("Host", "X-Kept: 1\r\nX-Plan: free\r\nx-user: 1\r\nX-More: 1\r\nHost"),
    );
    const [{ fields }] = origin.seen as [WireOrigin["seen"][number]];
    expect(fields.filter(([name]) => /plan|user|more|kept/i.test(name))).toEqual([
      ["X-Kept", "1"],
      ["x-more", "1, 2"],
      ["x-plan", "gold"],
    ]);
  });

  test("makes another request of one, and gets an answer that it may change", async () => {
    const origin = await originOf();
    const app = new Hono<{ Bindings: object }>();
    const gateway = gatewayTo(origin);
    app.post("/shop/*", async (c) => {
      const inner = new Request(new URL("/inner?y", c.req.url), {
        method: "POST",
        headers: { "X-Inner": "1" },
        body: `<${await c.req.text()}>`,
      });
      const response = await gateway.fetch(inner, c.env);
      response.headers.set("X-Outer", "1");
      return response;
    });
    const { url } = await servedBy(app as never);
    const text = "POST /shop/x HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 5\r\n\r\nhello";
    const { fields, body } = await exchange(url, text);
    expect(Object.fromEntries(fields)).toMatchObject({ "x-own": "1, 2", "x-outer": "1" });
    expect(body).toBe("ok");
    const [asked] = origin.seen as [WireOrigin["seen"][number]];
    expect([asked.line, asked.body]).toEqual(["POST /inner?y HTTP/1.1", "<hello>"]);
    expect(asked.fields).toContainEqual(["x-inner", "1"]);
  });

  test("that tells a length which the body has not fails the request, not the one after it", async () => {
    vi.spyOn(console, "warn").mockReturnValue();
    const origin = await originOf();
    const gateway = gatewayTo(origin, { CLIENT_IP: "cloudflare" });
    for (const body of ["longer than it says", "x"]) {
      const asked = new Request("http://shop.example/x", {
        method: "POST",
        headers: { "Content-Length": "5" },
        body,
      });
      expect((await gateway.fetch(asked)).status).toBe(502);
    }
    expect(origin.seen.filter(({ isWhole }) => isWhole)).toEqual([]);
  });
});

test("a server of HTTP/2 passes requests and answers, too", async () => {
  const origin = await originOf(
    "HTTP/1.1 201 Own\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Own: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n",
  );
  const server = serve({
    fetch: gatewayTo(origin).fetch,
    createServer: http2.createServer,
    port: 0,
    hostname: "127.0.0.1",
  });
  await once(server, "listening");
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const sent = session.request({ ":method": "POST", ":path": "/x", "x-own": "1" });
  sent.end("hello");
  const trailers = once(sent, "trailers");
  const [fields] = await once(sent, "response");
  let body = "";
  for await (const chunk of sent) body += chunk;
  expect([fields[":status"], fields["set-cookie"], body]).toEqual([201, ["a=1", "b=2"], "ok"]);
  expect(fields["ratelimit-policy"]).toBe('"all";q=1000000;w=2592000');
  expect((await trailers)[0]["x-sum"]).toBe("1");
  const [asked] = origin.seen as [WireOrigin["seen"][number]];
  expect([asked.line, asked.body]).toEqual(["POST /x HTTP/1.1", "hello"]);
  expect(asked.fields.filter(([name]) => name.startsWith(":"))).toEqual([]);
  session.close();
  server.close();
});
