import type { Faults } from "../options/faults.ts";
import { CLIENT_IP, NO_CLIENT_IP } from "../options/messages.ts";
import { onWorkers, readEnvironment } from "../runtime/environment.ts";
import { ipPartition } from "./ip-address.ts";

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

/** A connection of a server on Node. */
interface Connection {
  readonly remoteAddress?: string;
  /** Set if it is encrypted. */
  readonly encrypted?: boolean;
}

/** The bindings that @hono/node-server adds to a request. */
interface NodeBindings {
  readonly incoming?: { readonly socket?: Connection };
}

/** The connection of a request on Node; `undefined` on platforms that show none. */
export function connectionOf(bindings: unknown): Connection | undefined {
  return (bindings as NodeBindings | null | undefined)?.incoming?.socket;
}

/**
 * The client's address as its identity, IPv6 by its /64; `undefined` if the trusted header has none.
 *
 * @param bindings the platform's data beside the request, such as its socket
 */
export function clientIp(
  headers: Headers,
  trusted: ClientIp,
  bindings?: unknown,
): string | undefined {
  return ipPartition(clientAddress(headers, trusted, bindings));
}

/** The client's address as the trusted source writes it, which may be any text. */
export function clientAddress(
  headers: Headers,
  trusted: ClientIp,
  bindings?: unknown,
): string | null | undefined {
  if (trusted === "socket") {
    return connectionOf(bindings)?.remoteAddress;
  }
  if (trusted === "cloudflare") return headers.get("cf-connecting-ip");
  if (trusted === "vercel") return headers.get("x-real-ip");
  // Every trusted proxy appended the address that called it, so the client's is that many places from the right. The
  // client may have made up everything to the left of it.
  return headers.get("x-forwarded-for")?.split(",").at(-trusted.trustedHops);
}
