import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import type { Authenticate } from "./auth.ts";
import type { RefuseCrossSite } from "./cross-site.ts";
import { BridgeError, statusOf } from "./errors.ts";
import { failure } from "./execute.ts";
import { methods, parseAsk, parseTarget } from "./protocol.ts";
import type { Ask } from "./protocol.ts";

const maxBody = 10 * 1024 * 1024;

export interface HttpOptions {
  refuseCrossSite: RefuseCrossSite;
  authenticate: Authenticate;
  execute(ask: Ask, base64: boolean): Promise<string>;
}

export function httpServer({ refuseCrossSite, authenticate, execute }: HttpOptions): Server {
  async function answer(request: IncomingMessage): Promise<string> {
    const method = request.method ?? "";
    refuseCrossSite(request);
    authenticate(request);
    const target = parseTarget(request.url ?? "");
    const body = await readBody(request);
    if (!methods.includes(method)) throw new BridgeError(405, `ERR ${method} is not allowed`);
    const ask = parseAsk(method, target, body);
    return execute(ask, request.headers["upstash-encoding"] === "base64");
  }

  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request).then(
      (result) => ({ status: 200, body: result }),
      (error) => ({ status: statusOf(error), body: failure(error) }),
    );
    if (status === 405) response.setHeader("allow", methods.join(", "));
    // A kept connection would hold up a server that is closing.
    if (!server.listening) response.shouldKeepAlive = false;
    respond(response, status, body);
  });
  // Clients keep connections longer than Node's 5 s, and a request that meets one just closed fails.
  server.keepAliveTimeout = 75_000;
  return server;
}

/** Reads to the end even when it is too much: a client still writing would miss the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size <= maxBody) return Buffer.concat(chunks);
  throw new BridgeError(
    413,
    `ERR max request size exceeded. Limit: ${maxBody} bytes, Actual: ${size} bytes`,
  );
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
