/** Fields that are meant for one hop (RFC 9110, section 7.6.1); to `Expect`, this hop has given its answer. */
const ALWAYS = [
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Fields by which whoever stands in front tells the origin who is asking. */
const OF_THE_FRONT = /^(?:cf-|forwarded$|true-client-ip$|via$|x-forwarded-|x-real-ip$|x-vercel-)/;

/**
 * Takes away what is meant for one hop: the fields known for it, and those that `Connection` names. A client could
 * name a field of the front there, and the origin would miss it: those stay.
 */
export function stripHopByHop(headers: Headers): void {
  const named = headers.get("connection")?.toLowerCase().split(",") ?? [];
  for (const name of [...ALWAYS, ...named.map((text) => text.trim())]) {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !OF_THE_FRONT.test(name)) headers.delete(name);
  }
}
