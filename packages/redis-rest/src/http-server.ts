import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import type { Authenticate } from "./auth.ts";
import type { RefuseCrossSite } from "./cross-site.ts";
import { BridgeError, statusOf } from "./errors.ts";
import { failure } from "./execute.ts";
import { type Ask, methods, parseAsk, parseTarget } from "./protocol.ts";
import { type HeldMemory, requestMemory, requireRoom } from "./request-memory.ts";

/** Bytes of answers that clients have not fetched yet, of all of them: they stay in memory until then. */
const MAX_UNFETCHED = 64 * 1024 * 1024;

/** How long a client may take to send a request, and to fetch an answer: meanwhile it holds memory that others need. */
const PATIENCE_MS = 30_000;

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly error?: unknown;
}

export interface HttpOptions {
  refuseCrossSite: RefuseCrossSite;
  authenticate: Authenticate;
  execute(ask: Ask, base64: boolean): Promise<string>;
}

export function httpServer({ refuseCrossSite, authenticate, execute }: HttpOptions): Server {
  const hold = requestMemory();

  async function answer(request: IncomingMessage): Promise<string> {
    const method = request.method ?? "";
    refuseCrossSite(request);
    authenticate(request);
    const target = parseTarget(request.url ?? "");
    const memory = hold();
    try {
      const body = await readBody(request, memory);
      if (!methods.includes(method)) throw new BridgeError(405, `ERR ${method} is not allowed`);
      const ask = parseAsk(method, target, body, memory);
      return await execute(ask, request.headers["upstash-encoding"] === "base64");
    } finally {
      memory.free();
    }
  }

  let unfetched = 0;
  const server = createServer(async (request, response) => {
    const { status, body, error } = await answer(request).then(
      (result): Answered => {
        // One answer always goes out, however long it is.
        const hasRoom = unfetched === 0 || unfetched + Buffer.byteLength(result) <= MAX_UNFETCHED;
        return hasRoom ? { status: 200, body: result } : { status: 503, body: failure(tooMuch) };
      },
      (reason: unknown): Answered => ({
        status: statusOf(reason),
        body: failure(reason),
        error: reason,
      }),
    );
    if (error instanceof BridgeError && error.retryAfter !== undefined) {
      response.setHeader("retry-after", error.retryAfter);
    }
    if (status === 405) response.setHeader("allow", methods.join(", "));
    // A kept connection would hold up a server that is closing; and requests without a token may come by the thousand on one.
    if (!server.listening || status === 401 || status === 403) response.shouldKeepAlive = false;
    if (response.closed) return;
    const bytes = Buffer.byteLength(body);
    unfetched += bytes;
    const patience = setTimeout(() => response.destroy(), PATIENCE_MS);
    response.once("close", () => {
      clearTimeout(patience);
      unfetched -= bytes;
    });
    respond(response, status, body);
  });
  // Clients keep connections longer than Node's 5 s, and a request that meets one just closed fails.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = PATIENCE_MS;
  return server;
}

const tooMuch = new BridgeError(
  503,
  "ERR clients leave too many answers unfetched. The command has run, and its reply is dropped",
);

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Reads a body to its end. One that is refused is not kept, and read all the same: a client that is still writing would miss
 * the answer.
 *
 * @throws BridgeError 413 for one that is too long, 503 for one that the memory has no room for
 */
async function readBody(request: IncomingMessage, memory: HeldMemory): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isKept = true;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    isKept &&= bytes <= MAX_BYTES && memory.grow(chunk.length);
    if (isKept) {
      chunks.push(chunk);
    } else {
      chunks.length = 0;
      memory.free();
    }
  }
  if (bytes > MAX_BYTES) {
    throw new BridgeError(
      413,
      `ERR max request size exceeded. Limit: ${MAX_BYTES} bytes, Actual: ${bytes} bytes`,
    );
  }
  requireRoom(isKept);
  return Buffer.concat(chunks);
}
