import type { ClientIp } from "./client-ip.ts";

/** What a platform says about the network that a request comes from. */
export interface PlatformFacts {
  /** The number of its autonomous system. */
  readonly asn?: number;
  /** Its country: two capitals of ISO 3166-1. Cloudflare also says `T1` for Tor and `XX` where it knows none. */
  readonly country?: string;
}

/** A country as platforms write it. */
export const COUNTRY = /^(?:[A-Z]{2}|T1)$/;

/** The largest number of an autonomous system (RFC 6793). */
export const MAX_ASN = 4_294_967_295;

/** Whether the platform that is trusted with the client's address says its network, too. */
export function tellsFacts(trusted: ClientIp): boolean {
  return trusted === "cloudflare" || trusted === "vercel";
}

/**
 * The autonomous system and the country of a request, from the platform that is trusted with its address: of Cloudflare
 * from `request.cf`, which only Workers have, and of Vercel from its header fields. Anywhere else a client could make up
 * the fields, so that nothing is known.
 */
export function platformFacts(
  request: { readonly headers: Headers; readonly cf?: unknown },
  trusted: ClientIp,
): PlatformFacts {
  if (trusted === "cloudflare") {
    const { asn, country } = Object(request.cf) as { asn?: unknown; country?: unknown };
    return factsOf(asn, country);
  }
  if (trusted !== "vercel") return {};
  const { headers } = request;
  // Number("") is 0, which no network has.
  return factsOf(Number(headers.get("x-vercel-ip-as-number")), headers.get("x-vercel-ip-country"));
}

function factsOf(asn: unknown, country: unknown): PlatformFacts {
  return {
    ...(isAsn(asn) && { asn }),
    ...(typeof country === "string" && COUNTRY.test(country) && { country }),
  };
}

/** Whether this is the number of an autonomous system. */
export function isAsn(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ASN;
}
