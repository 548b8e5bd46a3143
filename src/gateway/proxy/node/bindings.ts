import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

import { isWebSocket } from "./web-socket.ts";

/** A request of a server on Node, of HTTP/1.1 or HTTP/2. */
export type Incoming = IncomingMessage | Http2ServerRequest;

/** The response of a server on Node, which writes it to the client. */
export type Outgoing = ServerResponse | Http2ServerResponse;

/** The parts that a server on Node hands in beside a request. */
export interface NodeBindings {
  readonly incoming?: Incoming;
  readonly outgoing?: Outgoing;
}

/** A server's own request and response. */
export interface Exchange {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
}

/**
 * The server's own request and response, where the answer may be written to it: the server has made the request, and it does
 * not write an answer that is marked as sent. A request that other code has made, such as one with another body, is not the
 * server's, and its answer may be changed by that code.
 */
export function exchangeOf(request: Request, bindings: unknown): Exchange | undefined {
  const { incoming, outgoing } = Object(bindings) as NodeBindings;
  if (!incoming || !outgoing || outgoing.headersSent) return undefined;
  return isLetGo(incoming) || isStandIn(request) ? { incoming, outgoing } : undefined;
}

/** Whether the connection can become a WebSocket: the server has let go of it. */
export function canUpgrade(incoming: Incoming): incoming is IncomingMessage {
  const { connection, upgrade } = incoming.headers;
  return isLetGo(incoming) && isWebSocket(connection, upgrade);
}

/** Whether the server has emitted a request as `upgrade`: then `passUpgrades()` has made its response. */
export function isLetGo(incoming: Incoming): boolean {
  return "upgrade" in incoming && incoming.upgrade === true;
}

/**
 * Whether a request is the one that @hono/node-server makes for each of Node's: it looks like a `Request`, and becomes one
 * only where code needs it, so that the methods of a real one do not take it.
 */
function isStandIn(request: Request): boolean {
  try {
    bodyUsed?.call(request);
    return false;
  } catch {
    return true;
  }
}

const bodyUsed = getterOf(Request.prototype, "bodyUsed");

function getterOf(prototype: object | null, name: string): (() => unknown) | undefined {
  if (prototype === null) return undefined;
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  return own?.get ?? getterOf(Object.getPrototypeOf(prototype) as object | null, name);
}

/** The field by which @hono/node-server is told that an answer has been written already. */
export const SENT = "x-hono-already-sent";

/** The answer that says that the answer has been written. Code around the gateway sees its status, if a `Response` may have it. */
export function alreadySent(status: number): Response {
  const isStatus = status >= 200 && status <= 599;
  const response = new Response(null, {
    status: isStatus ? status : 200,
    headers: { [SENT]: "true" },
  });
  // A response of @hono/node-server is written as it was made until it has become a real one.
  void response.body;
  return response;
}

/** Whether an answer says that it has been written. */
export function isSent({ headers }: Response): boolean {
  return headers.has(SENT);
}
