import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { serve } from "@hono/node-server";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createGateway } from "../../../../src/gateway/gateway.ts";
import { quota } from "../../../support/gateway/gateway.ts";
import { dial, exchange, startWireOrigin } from "./wire.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";

/**
 * A gateway on Node, behind code that changes Node's own request: versions before 24 leave out the fields after the thousandth, so
 * that the length of a body may be among them.
 */
async function served(change: (incoming: IncomingMessage) => void) {
  const origin = await startWireOrigin();
  onTestFinished(() => origin.close());
  origin.script = (_asked, socket) => void socket.write(OK);
  const gateway = createGateway({
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "socket",
    RULES: [{ path: "/*", policies: [quota("all", 100)], partition: ["header:x-api-key", "ip"] }],
  });
  const server = serve({
    fetch: (request, bindings) => {
      change((bindings as unknown as { incoming: IncomingMessage }).incoming);
      return gateway.fetch(request, bindings as never);
    },
    port: 0,
    hostname: "127.0.0.1",
  });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { origin, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Leaves out what says where a body ends. */
function withoutFraming({ headers, rawHeaders }: IncomingMessage): void {
  for (const name of ["content-length", "transfer-encoding"]) {
    delete headers[name];
    const at = rawHeaders.findIndex((each) => each.toLowerCase() === name);
    if (at !== -1) rawHeaders.splice(at, 2);
  }
}

const withLength = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = (body: string) =>
  `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

describe("a body whose length was left out", () => {
  test.each([
    ["POST", withLength],
    ["POST", inChunks],
    ["GET", withLength],
    ["GET", inChunks],
    ["PROPFIND", withLength],
  ])("of %s is never sent as the next request", async (method, write) => {
    vi.spyOn(console, "warn").mockReturnValue();
    const { origin, url } = await served(withoutFraming);
    const { line } = await exchange(
      url,
      `${method} /x HTTP/1.1\r\nHost: {host}\r\n${write(SMUGGLED)}`,
    );
    expect(line).toBe("HTTP/1.1 502 Bad Gateway");
    await exchange(url, "GET /after HTTP/1.1\r\nHost: {host}\r\n\r\n");
    expect(origin.seen.map((asked) => asked.line)).toEqual(["GET /after HTTP/1.1"]);
  });
});

test("a request with as many fields as Node reads is refused: some may be missing", async () => {
  const { origin, url } = await served(({ rawHeaders }) => {
    while (rawHeaders.length < 2_000) rawHeaders.push("X-More", "");
  });
  const { line } = await exchange(url, "GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n");
  expect(line).toBe("HTTP/1.1 431 Request Header Fields Too Large");
  expect(origin.seen).toEqual([]);
});

test("an answer of very many fields has all of them", async () => {
  const { origin, url } = await served(() => {});
  origin.script = (_asked, socket) => {
    socket.write(OK.replace("Content", `${"A: 1\r\n".repeat(1_500)}X-Last: 1\r\nContent`));
  };
  const { fields, body } = await exchange(url, "GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n");
  expect(fields.filter(([name]) => name === "A")).toHaveLength(1_500);
  expect(fields).toContainEqual(["X-Last", "1"]);
  expect(body).toBe("ok");
});

test.each(["PROPFIND", "PURGE", "REPORT", "POST"])(
  "%s without a body says so by its length, and not by an empty body in chunks",
  async (method) => {
    const { origin, url } = await served(() => {});
    await exchange(url, `${method} /x HTTP/1.1\r\nHost: {host}\r\n\r\n`);
    const [{ fields }] = origin.seen as [(typeof origin.seen)[number]];
    const framing = fields.filter(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
    expect(framing).toEqual([["Content-Length", "0"]]);
  },
);

test("fields after a body that the rules read, or that ask for another method, do not reach the origin", async () => {
  const { origin, url } = await served(() => {});
  const trailers = [
    "X-Api-Key: two",
    "x-api-key: three",
    "X_Api_Key: four",
    "X-HTTP-Method-Override: DELETE",
    "X-Method-Override: DELETE",
    "X-Forwarded-For: 192.0.2.66",
    "X-Sum: 1",
  ];
  const { socket, reader } = await dial(url);
  socket.write(
    `POST /x HTTP/1.1\r\nHost: x\r\nX-Api-Key: one\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n${trailers.join("\r\n")}\r\n\r\n`,
  );
  await reader.message("response");
  socket.destroy();
  expect(origin.seen[0]?.trailers).toEqual([["X-Sum", "1"]]);
});
