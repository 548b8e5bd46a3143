import type { ClientIp } from "./client-ip.ts";

/** Stands for the address of a client that has closed its connection. */
export const GONE = Symbol("gone");

/** The parts that are used of a socket of Node. */
export interface NodeSocket {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  readonly destroyed?: boolean;
  /** Set if it is encrypted. */
  readonly encrypted?: boolean;
}

/** The bindings that @hono/node-server adds to a request. */
interface NodeBindings {
  readonly incoming?: { readonly socket?: NodeSocket | null };
}

/** The connection of a request on Node; `undefined` on platforms that show none. */
export function connectionOf(bindings: unknown): NodeSocket | undefined {
  return (bindings as NodeBindings | null | undefined)?.incoming?.socket ?? undefined;
}

/**
 * The address of a request's connection, where it is the trusted one; `undefined` where there is none, as over a Unix-domain socket
 * or in a test. Read it once, before anything is waited for: an address that is read later may be gone.
 *
 * A client that resets its connection or its HTTP/2 stream takes its address with it. Node may not know of the reset yet,
 * but only connections of TCP have a local address, and each of them has a remote one as long as its client is there.
 *
 * @param bindings the platform's data beside the request
 */
export function connectionAddress(
  trusted: ClientIp | undefined,
  bindings: unknown,
): string | undefined | typeof GONE {
  if (trusted !== "socket") return undefined;
  const socket = connectionOf(bindings);
  if (!socket || socket.remoteAddress !== undefined) return socket?.remoteAddress;
  return socket.destroyed || socket.localAddress !== undefined ? GONE : undefined;
}
