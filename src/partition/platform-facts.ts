import type { ClientIp } from "./client-ip.ts";
import type { RequestParts } from "./request-data.ts";

/** A platform's facts about the client's address. */
export interface PlatformFacts {
  /** The number of the autonomous system. */
  readonly asn?: number;
  /** The code of the country in two capitals, as ISO 3166-1 has it; `T1` is Cloudflare's code for Tor. */
  readonly country?: string;
}

/** A country as platforms write it. */
export const COUNTRY = /^(?:[A-Z]{2}|T1)$/;

/** The largest number of an autonomous system (RFC 6793). */
export const MAX_ASN = 4_294_967_295;

/** The platforms' code for an unknown country. */
const UNKNOWN_COUNTRY = "XX";

/** Whether the trusted source of the client's address gives facts about it. */
export function tellsFacts(clientIp: unknown): boolean {
  return clientIp === "cloudflare" || clientIp === "vercel";
}

/** Whether this is the number of an autonomous system. */
export function isAsn(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ASN;
}

/**
 * The network and the country of the client. Only a platform that is the trusted source counts: behind any other proxy,
 * the client could write the header itself.
 */
export function platformFacts(
  { headers, cf }: Pick<RequestParts, "headers" | "cf">,
  clientIp: ClientIp,
): PlatformFacts {
  if (clientIp === "cloudflare") {
    const { asn, country } = Object(cf) as { readonly asn?: unknown; readonly country?: unknown };
    return factsOf(asn, country);
  }
  if (clientIp === "vercel") {
    return factsOf(headers.get("x-vercel-ip-as-number"), headers.get("x-vercel-ip-country"));
  }
  return {};
}

function factsOf(asn: unknown, country: unknown): PlatformFacts {
  // Some write "AS" before the number.
  const number = Number(/^(?:AS)?(\d{1,10})$/i.exec(String(asn))?.[1]);
  const code = String(country).toUpperCase();
  return {
    ...(isAsn(number) && { asn: number }),
    ...(COUNTRY.test(code) && code !== UNKNOWN_COUNTRY && { country: code }),
  };
}
