/** Fields that are meant for one hop (RFC 9110, section 7.6.1), and `Expect`, which is answered already. */
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

/** Fields by which a platform or a proxy in front of the gateway describes the client. */
const FROM_THE_FRONT = /^(?:cf-|forwarded$|true-client-ip$|via$|x-forwarded-|x-real-ip$|x-vercel-)/;

/**
 * Removes the fields that are meant for one hop: the known ones, and those that `Connection` names. Fields from the
 * front stay even then, because a client could name them to hide them from the origin.
 */
export function stripHopByHop(headers: Headers): void {
  const named = headers.get("connection")?.toLowerCase().split(",") ?? [];
  for (const name of [...ALWAYS, ...named.map((text) => text.trim())]) {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !FROM_THE_FRONT.test(name)) headers.delete(name);
  }
}
