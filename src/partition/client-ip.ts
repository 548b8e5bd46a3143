import type { Faults } from "../options/faults.ts";
import { CLIENT_IP, NO_CLIENT_IP } from "../options/messages.ts";
import { onWorkers, readEnvironment } from "../runtime/environment.ts";
import { ipPartition } from "./ip-address.ts";
import type { RequestData } from "./request-data.ts";

/** The trusted source of the client's address. */
export type ClientIp =
  /** Cloudflare, by `cf-connecting-ip`. */
  | "cloudflare"
  /** Vercel, by `x-real-ip`. */
  | "vercel"
  /** No header: the address of the connection. For servers on Node without a proxy in front. */
  | "socket"
  /** This many proxies of your own, 1 to 32, each of which appends to `x-forwarded-for`. */
  | { readonly trustedHops: number };

/**
 * The platform whose header can be trusted here. Vercel is recognised by its variable, because its runtime runs
 * elsewhere too, where a client could send `x-real-ip` itself.
 */
export function detectPlatform(): "cloudflare" | "vercel" | undefined {
  if (onWorkers()) return "cloudflare";
  if (readEnvironment()["VERCEL"] === "1") return "vercel";
  return undefined;
}

/** Checks the trusted source of the client's address. Default: the platform. */
export function checkClientIp(trusted: unknown, path: string, faults: Faults): ClientIp {
  const found = trusted ?? detectPlatform();
  if (found === "cloudflare" || found === "vercel") return found;
  if (found === "socket" && !onWorkers()) return found;
  const { trustedHops } = Object(found) as { trustedHops?: unknown };
  const alone = Object.keys(Object(found) as object).length === 1;
  if (
    alone &&
    Number.isInteger(trustedHops) &&
    Number(trustedHops) >= 1 &&
    Number(trustedHops) <= 32
  ) {
    return { trustedHops: Number(trustedHops) };
  }
  faults.add(path, trusted, found === undefined ? NO_CLIENT_IP : CLIENT_IP);
  return { trustedHops: 1 };
}

/**
 * The client's address as its identity, IPv6 by its /64; `undefined` if the trusted header has none.
 *
 * @param connection as `connectionAddress()` returns it
 */
export function clientIp(
  headers: Headers,
  trusted: ClientIp,
  connection?: string,
): string | undefined {
  return ipPartition(clientAddress(headers, trusted, connection));
}

/** The client's address as the trusted source writes it, which may be any text. */
export function clientAddress(
  headers: Headers,
  trusted: ClientIp,
  connection?: string,
): string | null | undefined {
  if (trusted === "socket") return connection;
  if (trusted === "cloudflare") return headers.get("cf-connecting-ip");
  if (trusted === "vercel") return headers.get("x-real-ip");
  return fromTheRight(headers.get("x-forwarded-for"), trusted.trustedHops);
}

/**
 * The address that many places from the right: every trusted proxy appended the one that called it. The client may have
 * made up everything to the left of it, so that it is not looked at.
 */
function fromTheRight(forwarded: string | null, hops: number): string | undefined {
  if (forwarded === null) return undefined;
  let end = forwarded.length;
  let comma = forwarded.lastIndexOf(",");
  for (let hop = 1; hop < hops; hop++) {
    if (comma === -1) return undefined;
    end = comma;
    comma = comma === 0 ? -1 : forwarded.lastIndexOf(",", comma - 1);
  }
  return forwarded.slice(comma + 1, end);
}

/** Whether one of the sources needs the trusted source of the client's address. */
export function readsAddress(sources: unknown): boolean {
  const each: readonly unknown[] = Array.isArray(sources) ? sources.flat() : [];
  return each.some((source) => source === "ip" || source === "subnet");
}

export function addressReader(trusted: ClientIp): (data: RequestData) => string | undefined {
  return ({ request, connection }) => {
    const ip = clientIp(request.headers, trusted, connection);
    return ip === undefined ? undefined : `ip:${ip}`;
  };
}

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
