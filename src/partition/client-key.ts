import { report } from "../runtime/log.ts";
import { ipPartition } from "./ip-address.ts";

/** Stands for every client whose address is not known: they share one count. */
export const UNKNOWN_ADDRESS = "unknown";
let hasReportedUnknown = false;

/** The most characters of a log line that a client may have written. */
const MAX_SHOWN = 60;

/**
 * The identity of a client by its address, as the source `ip` makes it: an IPv4 address as it is, also where it is
 * written as IPv6 (`::ffff:203.0.113.7`); of an IPv6 address its /64, because one subscriber has all 2^64 addresses in
 * it. A port, brackets and a zone are left out. Any other text, or no address, becomes `"unknown"`: all such clients
 * share one count, and an isolate logs the first one.
 *
 * Take the address from a source that clients cannot write: `cf-connecting-ip` on Cloudflare Workers, `x-real-ip` on
 * Vercel, the address of the socket on a server without a proxy in front.
 *
 * @example
 * clientKey("2001:db8:1:2::42"); // "2001:db8:1:2::/64"
 * const decision = await limit(clientKey(request.headers.get("cf-connecting-ip")), policy);
 */
export function clientKey(address: string | null | undefined): string {
  return ipPartition(address) ?? unknown(address);
}

function unknown(address: unknown): string {
  if (!hasReportedUnknown) {
    hasReportedUnknown = true;
    const shown =
      typeof address === "string" ? JSON.stringify(address.slice(0, MAX_SHOWN)) : String(address);
    report(
      `clientKey() got no address, but ${shown}: every such client is "${UNKNOWN_ADDRESS}", and all of them share one count. Read the address from what your platform sets, such as cf-connecting-ip on Cloudflare Workers.`,
    );
  }
  return UNKNOWN_ADDRESS;
}
