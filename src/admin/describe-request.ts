import { HEADERS, METHOD, PATH } from "../gateway/rules/document-messages.ts";
import { Faults } from "../options/faults.ts";
import { ASN, COUNTRY as COUNTRY_FAULT } from "../options/messages.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { COUNTRY, isAsn, MAX_ASN } from "../partition/platform-facts.ts";
import type { DescribedRequest } from "./administered.ts";

/** A described request as the gateway would get it. */
export interface RequestAsData {
  readonly request: Request;
  /** The address of its connection, where it is the trusted one. */
  readonly connection: string | undefined;
}

/**
 * Makes a request from its description, with the client's address in the trusted source.
 *
 * @throws ConfigurationError with every fault in the description
 */
export function requestFrom(
  { method = "GET", path, headers: fields = {}, ip, country, asn }: DescribedRequest,
  clientIp: ClientIp,
): RequestAsData {
  const faults = new Faults();
  if (typeof path !== "string" || !path.startsWith("/") || !URL.canParse(`http://host${path}`)) {
    faults.add("path", path, PATH);
  }
  if (!isMethod(method)) {
    faults.add("method", method, METHOD);
  }
  if (country !== undefined && !COUNTRY.test(String(country))) {
    faults.add("country", country, COUNTRY_FAULT);
  }
  if (asn !== undefined && !isAsn(asn)) faults.add("asn", asn, ASN, MAX_ASN);
  const headers = headersFrom(fields, faults);
  faults.throwIfAny();
  if (ip !== undefined) nameAddress(headers, String(ip), clientIp);
  if (clientIp === "vercel") {
    if (country !== undefined) headers.set("x-vercel-ip-country", country);
    if (asn !== undefined) headers.set("x-vercel-ip-as-number", String(asn));
  }
  const request = new Request(`http://host${path}`, { method, headers });
  if (clientIp === "cloudflare") Object.defineProperty(request, "cf", { value: { asn, country } });
  return { request, connection: clientIp === "socket" ? ip : undefined };
}

function isMethod(method: unknown): boolean {
  if (typeof method !== "string" || !/^[A-Z]{1,20}$/.test(method)) return false;
  if (/^(?:CONNECT|TRACE|TRACK)$/.test(method)) return false;
  try {
    return new Request("http://host", { method }).method === method;
  } catch {
    // workerd has a list of methods, and no request can have another.
    return false;
  }
}

function headersFrom(fields: unknown, faults: Faults): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(Object(fields) as Record<string, unknown>)) {
    try {
      headers.set(name, String(value));
    } catch {
      faults.add("headers", name, HEADERS);
    }
  }
  return headers;
}

function nameAddress(headers: Headers, ip: string, clientIp: ClientIp): void {
  if (clientIp === "cloudflare") headers.set("cf-connecting-ip", ip);
  else if (clientIp === "vercel") headers.set("x-real-ip", ip);
  else if (clientIp !== "socket") {
    const proxies = Array<string>(clientIp.trustedHops - 1).fill("proxy");
    headers.set("x-forwarded-for", [ip, ...proxies].join(", "));
  }
}
