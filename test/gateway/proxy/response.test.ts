import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { gatewayTo, generous, startOrigin } from "../../support/gateway/gateway.ts";

async function answerOf(listener: RequestListener, init?: RequestInit): Promise<Response> {
  const origin = await startOrigin(listener);
  return gatewayTo(origin.url, generous)("/x", init);
}

describe("a response on its way to the client", () => {
  test("keeps its status, its fields and its body", async () => {
    const answer = await answerOf((_request, response) => {
      response.writeHead(418, "Short and stout", { "X-Custom": "1", ETag: '"x"' });
      response.end("teapot");
    });
    expect([answer.status, answer.statusText, await answer.text()]).toEqual([
      418,
      "Short and stout",
      "teapot",
    ]);
    const names = ["X-Custom", "ETag", "RateLimit"];
    expect(names.map((name) => answer.headers.get(name))).toEqual(["1", '"x"', expect.any(String)]);
  });

  test("loses the fields meant for one hop, and those that its Connection names", async () => {
    const answer = await answerOf((_request, response) => {
      response.writeHead(200, {
        Connection: "close, X-Hop",
        "X-Hop": "1",
        "X-Kept": "1",
        "Keep-Alive": "timeout=5",
        "Proxy-Authenticate": "Basic",
        Upgrade: "h2c",
      });
      response.end();
    });
    const names = [...answer.headers.keys()].filter((name) => !name.includes("ratelimit"));
    expect(names).toEqual(["date", "x-kept"]);
  });

  test("says the gateway's policies after the origin's own", async () => {
    const answer = await answerOf((_request, response) => {
      response.writeHead(200, {
        RateLimit: ['"a";r=1;t=2', '"b";r=3;t=4'],
        "RateLimit-Policy": '"a";q=5;w=6, "b";q=7;w=8',
        "X-RateLimit-Remaining": "1",
        "Retry-After": "9",
      });
      response.end();
    });
    expect(answer.headers.get("RateLimit")).toMatch(/^"a";r=1;t=2, "b";r=3;t=4, "all";r=999999;t=/);
    expect(answer.headers.get("RateLimit-Policy")).toBe(
      '"a";q=5;w=6, "b";q=7;w=8, "all";q=1000000;w=2592000',
    );
    expect(answer.headers.get("X-RateLimit-Remaining")).toBe("1");
    expect(answer.headers.has("X-RateLimit-Limit")).toBe(false);
    expect(answer.headers.get("Retry-After")).toBe("9");
  });

  test.each([301, 302, 303, 307, 308])(
    "is a redirect for the client to follow: %d",
    async (status) => {
      let asked = 0;
      const answer = await answerOf((_request, response) => {
        asked++;
        response.writeHead(status, { Location: "/elsewhere?x=1" }).end("moved");
      });
      expect([answer.status, await answer.text(), asked]).toEqual([status, "moved", 1]);
      expect(answer.headers.get("Location")).toBe("/elsewhere?x=1");
    },
  );

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("arrives intact where the origin encoded it: %s", async (coding, encode) => {
    const text = "hello ".repeat(1_000);
    const answer = await answerOf((_request, response) => {
      const body = encode(text);
      response.writeHead(200, { "Content-Encoding": coding, "Content-Length": body.length });
      response.end(body);
    });
    const encoded = encode(text);
    expect(answer.headers.get("Content-Encoding")).toBe(coding);
    expect(answer.headers.get("Content-Length")).toBe(String(encoded.length));
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(encoded));
  });
});

describe("an origin that does not answer", () => {
  test.each<[string, RequestListener]>([
    ["closes the connection", (request) => request.socket.destroy()],
    ["does not speak HTTP", (request) => request.socket.end("hello\r\n\r\n")],
    ["sends a status that is none", (request) => request.socket.end("HTTP/1.1 0 x\r\n\r\n")],
  ])("and %s is a 502 without a word on why", async (_what, listener) => {
    const answer = await answerOf(listener);
    expect(answer.status).toBe(502);
    const names = ["Content-Type", "Cache-Control", "RateLimit"];
    expect(names.map((name) => answer.headers.get(name))).toEqual([
      "application/problem+json",
      "no-store",
      expect.any(String),
    ]);
    expect(await answer.json()).toEqual({
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "The origin did not answer.",
    });
  });
});
