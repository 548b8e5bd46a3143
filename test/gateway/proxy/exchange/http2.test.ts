import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";

import { serve } from "@hono/node-server";
import { describe, expect, onTestFinished, test } from "vitest";

import { createGateway } from "../../../../src/gateway/gateway.ts";
import { generous } from "../../../support/gateway/gateway.ts";
import { startWireOrigin } from "./wire.ts";

/** What a client of HTTP/2 gets through the gateway, of an origin that answers with these bytes. */
async function answered(bytes: string) {
  const origin = await startWireOrigin();
  onTestFinished(() => origin.close());
  origin.script = (_asked, socket) => void socket.write(bytes, "latin1");
  const gateway = createGateway({
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "socket",
    RULES: generous,
  });
  const { fetch } = gateway;
  const server = serve({ fetch, createServer, port: 0, hostname: "127.0.0.1" });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":path": "/x" });
  stream.end();
  let trailers: Record<string, unknown> = {};
  stream.once("trailers", (fields) => (trailers = fields));
  const [fields] = (await once(stream, "response")) as [Record<string, string | string[]>];
  let body = "";
  for await (const chunk of stream) body += chunk;
  return { status: fields[":status"], fields, body, trailers };
}

const ok = (...fields: readonly string[]) =>
  ["HTTP/1.1 200 OK", ...fields, "Content-Length: 2", "", "ok"].join("\r\n");

describe("an answer of HTTP/1.1 to a client of HTTP/2", () => {
  test.each([
    ["Date", "Mon, 01 Jan 2035 00:00:00 GMT", "Tue, 02 Jan 2035 00:00:00 GMT"],
    ["ETag", '"a"', '"b"'],
    ["Location", "/a", "/b"],
    ["Content-Type", "text/plain", "text/html"],
    ["Retry-After", "1", "2"],
    ["X-Content-Type-Options", "nosniff", "other"],
    ["Access-Control-Allow-Credentials", "true", "false"],
  ])("has the first %s where it comes twice", async (name, first, second) => {
    const { status, fields, body } = await answered(ok(`${name}: ${first}`, `${name}: ${second}`));
    expect([status, fields[name.toLowerCase()], body]).toEqual([200, first, "ok"]);
  });

  test.each(["Vary", "Link", "Content-Language", "DNT", "Via"])(
    "has all values of %s",
    async (name) => {
      const { fields, body } = await answered(ok(`${name}: a`, `${name.toUpperCase()}: b`));
      expect([fields[name.toLowerCase()], body]).toEqual(["a, b", "ok"]);
    },
  );

  test("has each cookie, and no field of HTTP/1.1 alone", async () => {
    const { fields, body } = await answered(
      ok("Set-Cookie: a=1", "HTTP2-Settings: AAA", "Keep-Alive: timeout=5", "set-cookie: b=2"),
    );
    expect([fields["set-cookie"], fields["http2-settings"], fields["keep-alive"], body]).toEqual([
      ["a=1", "b=2"],
      undefined,
      undefined,
      "ok",
    ]);
  });

  test.each([204, 205])("has no length where a %d has no body", async (answer) => {
    const { status, fields, body } = await answered(
      `HTTP/1.1 ${answer} Own\r\nContent-Length: 2\r\n\r\nok`,
    );
    expect([status, fields["content-length"], body]).toEqual([answer, undefined, ""]);
  });

  test.each([600, 999])("is a 502 for the status %d, which HTTP/2 does not have", async (own) => {
    const { status } = await answered(`HTTP/1.1 ${own} Own\r\nContent-Length: 2\r\n\r\nok`);
    expect(status).toBe(502);
  });

  test("has the fields after the body that HTTP/2 takes", async () => {
    const { trailers, body } = await answered(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nETag: "a"\r\netag: "b"\r\nKeep-Alive: 1\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n',
    );
    expect([body, Object.entries(trailers)]).toEqual([
      "ok",
      [
        ["etag", '"a"'],
        ["x-sum", "1, 2"],
      ],
    ]);
  });
});
