import type { RequestParts } from "./asked.ts";
import type { ClientIp } from "./client-ip.ts";

/** What a platform says about the client's address. */
export interface PlatformFacts {
  /** The number of the autonomous system. */
  readonly asn?: number;
  /** The code of the country in two capitals, as ISO 3166-1 has it; Cloudflare says `T1` for Tor. */
  readonly country?: string;
}

/** What a platform says where it does not know the country. */
const UNKNOWN_COUNTRY = "XX";

/** Whether the one who is trusted with the client's address says more about it. */
export function saysFacts(clientIp: unknown): boolean {
  return clientIp === "cloudflare" || clientIp === "vercel";
}

/**
 * The network and the country of the client. Only a platform that is trusted with the address is believed: behind
 * anything else, the client could write the header itself.
 */
export function platformFacts(
  { headers, cf }: Pick<RequestParts, "headers" | "cf">,
  clientIp: ClientIp,
): PlatformFacts {
  if (clientIp === "cloudflare") {
    const { asn, country } = Object(cf) as { readonly asn?: unknown; readonly country?: unknown };
    return facts(asn, country);
  }
  if (clientIp === "vercel") {
    return facts(headers.get("x-vercel-ip-as-number"), headers.get("x-vercel-ip-country"));
  }
  return {};
}

function facts(asn: unknown, country: unknown): PlatformFacts {
  // 32 bits, which RFC 6793 gives the number; some write "AS" before it.
  const number = Number(/^(?:AS)?(\d{1,10})$/i.exec(String(asn))?.[1]);
  const code = /^[A-Z][A-Z\d]$/i.exec(String(country))?.[0].toUpperCase();
  return {
    ...(number > 0 && number < 2 ** 32 && { asn: number }),
    ...(code !== undefined && code !== UNKNOWN_COUNTRY && { country: code }),
  };
}
