import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { readToEnd } from "../read-limited.ts";
import type { Authenticate } from "./auth.ts";
import type { RefuseCrossSite } from "./cross-site.ts";
import { BridgeError, statusOf } from "./errors.ts";
import { failure } from "./execute.ts";
import { methods, parseAsk, parseTarget } from "./protocol.ts";
import type { Ask } from "./protocol.ts";

const maxBody = 10 * 1024 * 1024;

/** Bytes of answers that clients have not fetched yet, of all of them: they stay in memory until then. */
const MAX_UNFETCHED = 64 * 1024 * 1024;

/** How long a client may take to fetch an answer. */
const FETCH_MS = 30_000;

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

  let unfetched = 0;
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request).then(
      (result) => {
        // One answer always goes out, however long it is.
        const hasRoom = unfetched === 0 || unfetched + Buffer.byteLength(result) <= MAX_UNFETCHED;
        return hasRoom ? { status: 200, body: result } : { status: 503, body: failure(tooMuch) };
      },
      (error) => ({ status: statusOf(error), body: failure(error) }),
    );
    if (status === 405) response.setHeader("allow", methods.join(", "));
    // A kept connection would hold up a server that is closing; and requests without a token may come by the thousand on one.
    if (!server.listening || status === 401 || status === 403) response.shouldKeepAlive = false;
    if (response.closed) return;
    const bytes = Buffer.byteLength(body);
    unfetched += bytes;
    const patience = setTimeout(() => response.destroy(), FETCH_MS);
    response.once("close", () => {
      clearTimeout(patience);
      unfetched -= bytes;
    });
    respond(response, status, body);
  });
  // Clients keep connections longer than Node's 5 s, and a request that meets one just closed fails.
  server.keepAliveTimeout = 75_000;
  return server;
}

const tooMuch = new BridgeError(
  503,
  "ERR clients leave too many answers unfetched. The command has run, and its reply is dropped",
);

/** @throws BridgeError 413 */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { size, body } = await readToEnd(request, maxBody);
  if (body) return body;
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
