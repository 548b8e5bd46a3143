import { type ClientIp, connectionOf } from "../../partition/client-ip.ts";
import { tidyAddress } from "../../partition/ip-address.ts";
import { onWorkers } from "../../runtime/environment.ts";

/**
 * Fields by which proxies and platforms tell an origin about the client: its address, and the host and the scheme that it
 * asked. A client can make them up, unless a trusted proxy sets them.
 */
const ABOUT_CLIENT =
  /^(?:cf-|cloudfront-|x-vercel-|(?:x-)?forwarded(?:$|-)|x-original-(?:forwarded-for|host|proto|remote-addr)$|x-forward-(?:for|host|proto)$|x-(?:http-)?host(?:-override)?$|front-end-https$|x-(?:url-)?scheme$|x-remote-addr(?:ess)?$|x-envoy-external-address$|x-azure-socketip$)|(?:^|-)(?:(?:true)?clientip|(?:client|client-connection|connecting|originating|proxyuser|real|remote|source|src|user)-ip)$/;

/** Whether a field is of that kind. `name` is in lower case. */
export function isAboutClient(name: string): boolean {
  return ABOUT_CLIENT.test(name);
}

/**
 * Whether a field tells the origin about the client and its source is not the trusted one.
 *
 * @param name in lower case
 */
export function isUntrusted(name: string, trusted: ClientIp | undefined): boolean {
  if (!ABOUT_CLIENT.test(name)) return false;
  if (trusted === "cloudflare") return !name.startsWith("cf-");
  if (trusted === "vercel") return !name.startsWith("x-vercel-") && name !== "x-real-ip";
  // Proxies of one's own say more than the address, such as a prefix of the path or a user.
  return !isProxied(trusted) || !name.startsWith("x-forwarded-");
}

/** The facts about a client that the origin is told. */
export interface ClientFacts {
  /** The client's address and those of the proxies after it; `undefined` if no trusted source knows one. */
  readonly for: string | undefined;
  readonly host: string;
  readonly proto: string;
}

/**
 * Reads what the trusted source says about the client of a request, and else its connection.
 *
 * @param url the address of the request
 * @param trusted `undefined` if no source is: then only the connection tells
 */
export function clientFacts(
  { protocol, host }: URL,
  headers: Headers,
  bindings: unknown,
  trusted: ClientIp | undefined,
): ClientFacts {
  const connection = connectionOf(bindings);
  const told = trusted === "vercel" || isProxied(trusted);
  // On Workers a client of a local one could set the field; the address is Cloudflare's own there.
  const tellsProto = told || (trusted === "cloudflare" && !onWorkers());
  // A request line can name any scheme: what counts is how the client is connected.
  const scheme = connection ? `http${connection.encrypted ? "s" : ""}` : protocol.slice(0, -1);
  return {
    for: chainOf(headers, trusted, connection?.remoteAddress),
    host: (told && headers.get("x-forwarded-host")) || host,
    proto: (tellsProto && headers.get("x-forwarded-proto")) || scheme,
  };
}

/** The addresses that the trusted source says, and that of the connection behind them. */
function chainOf(
  headers: Headers,
  trusted: ClientIp | undefined,
  remote: string | undefined,
): string | undefined {
  let chain = "";
  for (const address of [...addressesOf(headers, trusted), remote]) {
    const tidy = address ? tidyAddress(address) : "";
    if (tidy !== "") chain += (chain && ", ") + tidy;
  }
  return chain || undefined;
}

/** Of a list, the items that trusted proxies appended. */
function addressesOf(headers: Headers, trusted: ClientIp | undefined): readonly (string | null)[] {
  if (trusted === "cloudflare") return [headers.get("cf-connecting-ip")];
  if (trusted === "vercel") return [headers.get("x-real-ip")];
  if (!isProxied(trusted)) return [];
  return headers.get("x-forwarded-for")?.split(",").slice(-trusted.trustedHops) ?? [];
}

function isProxied(trusted: ClientIp | undefined): trusted is { readonly trustedHops: number } {
  return typeof trusted === "object";
}
