import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { isSent } from "./bindings.ts";
import { fieldsOf } from "./raw-fields.ts";
import { isWebSocket } from "./web-socket.ts";

/** The part that is used of a server of `node:http` or `node:https`, such as that of `serve()` of @hono/node-server. */
export interface UpgradingServer {
  on(...parts: never[]): unknown;
}

/** The part that is used of a gateway. */
export interface Upgradable {
  fetch(request: Request, bindings: object): Response | Promise<Response>;
}

const NOT_IMPLEMENTED =
  "HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/**
 * Passes WebSockets through a gateway on Node. A server gives requests for them to no `fetch()`, but emits them as `upgrade`. They
 * are limited as any request: a denied one is answered, and no socket is opened.
 *
 * @param server the server on which the gateway runs
 * @returns what ends the open ones, because a server does not close before them
 * @example
 * const server = serve({ fetch: gateway.fetch, port: 3000 });
 * const endSockets = passUpgrades(server, gateway);
 * process.once("SIGTERM", () => {
 *   server.close(() => gateway.flush());
 *   endSockets();
 * });
 */
export function passUpgrades(server: UpgradingServer, gateway: Upgradable): () => void {
  const open = new Set<Socket>();
  const emitter = server as unknown as Server;
  // A request for another protocol is one like any other. Versions of Node before 24 emit it as `upgrade`, without its body.
  Object.assign(emitter, {
    shouldUpgradeCallback: ({ headers: { connection, upgrade } }: IncomingMessage) =>
      isWebSocket(connection, upgrade),
  });
  emitter.on("upgrade", (incoming, socket, head) => {
    const client = socket as Socket;
    open.add(client);
    client.once("close", () => open.delete(client));
    upgrade(gateway, incoming, client, head).catch(() => client.destroy());
  });
  emitter.on("connect", (_, socket) => {
    socket.on("error", () => {});
    socket.end(NOT_IMPLEMENTED);
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}

async function upgrade(
  gateway: Upgradable,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  // The server has let go of the connection, so an error of it would end the process.
  socket.on("error", () => {});
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  outgoing.assignSocket(socket);
  outgoing.once("finish", () => {
    outgoing.detachSocket(socket);
    socket.end();
  });
  if (head.length > 0) socket.unshift(head);
  const request = requestOf(incoming);
  const response = request
    ? await gateway.fetch(request, { incoming, outgoing })
    : new Response(null, { status: 400 });
  if (!isSent(response)) await write(response, outgoing);
}

/** A request of which a body is not read; `undefined` if it names no address. */
function requestOf({ url = "", method = "", rawHeaders, headers, socket }: IncomingMessage) {
  const scheme = "encrypted" in socket ? "https" : "http";
  const address = url.startsWith("/") ? `${scheme}://${headers.host}${url}` : url;
  try {
    // A name with a slash would move the path.
    if (/[^\w.:[\]-]/.test(headers.host ?? "/")) return undefined;
    const fields = fieldsOf(rawHeaders) as [string, string][];
    return new Request(address, { method, headers: fields });
  } catch {
    return undefined;
  }
}

/** Writes an answer of the gateway's own. */
async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, [...response.headers].flat());
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
