import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { WebSocketServer } from "ws";

export interface Origin {
  readonly url: string;
  /** How often each `METHOD /path` was asked for, as `GET /__counts` says it. */
  counts(): Record<string, number>;
  resetCounts(): void;
  stop(): Promise<void>;
}

export interface OriginOptions {
  /** 0, the default, takes a free one. */
  port?: number;
}

const COUNTS = "/__counts";

/**
 * A service that has no limits of its own: it answers with the request that reached it, and counts. A WebSocket gets back its
 * messages.
 */
export async function startOrigin({ port = 0 }: OriginOptions = {}): Promise<Origin> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method, headers } = request;
    const { path, query } = readTarget(request);
    if (path !== COUNTS) count(request, path);
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => {
      const answer =
        path === COUNTS ? Object.fromEntries(counts) : { method, path, query, headers, bytes };
      const body = `${JSON.stringify(answer)}\n`;
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  // A gateway keeps its connections; one that is closed just as it sends a request would be a 502.
  server.keepAliveTimeout = 75_000;

  const sockets = new WebSocketServer({ noServer: true });
  sockets.on("connection", (socket) => {
    socket.on("message", (data, binary) => socket.send(data, { binary }));
    socket.on("error", () => {});
  });
  server.on("upgrade", (request, stream, head) => {
    count(request, readTarget(request).path);
    sockets.handleUpgrade(request, stream, head, (socket) => sockets.emit("connection", socket));
  });

  function count({ method }: IncomingMessage, path: string): void {
    const route = `${method} ${path}`;
    counts.set(route, (counts.get(route) ?? 0) + 1);
  }

  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => Object.fromEntries(counts),
    resetCounts: () => counts.clear(),
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
      await closed;
    },
  };
}

/** As text, not as a URL: every target that a client can send is a path here, even one that URL refuses. */
function readTarget({ url = "/" }: IncomingMessage): { path: string; query: string } {
  const end = url.indexOf("?");
  return end === -1
    ? { path: url, query: "" }
    : { path: url.slice(0, end), query: url.slice(end + 1) };
}
