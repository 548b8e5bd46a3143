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

/** The names that `hopFields()` returns where `Connection` names no others. */
export const HOP: ReadonlySet<string> = new Set(ALWAYS);

/**
 * Fields that stay although `Connection` names them: the length, because without it the body's end would be another one, and
 * those by which a platform in front of the gateway describes the client, which the client could hide so.
 */
const STAYS = /^(?:content-length$|cf-|via$|x-forwarded-|x-real-ip$|x-vercel-)/;

/** The names of the fields that are meant for one hop: the known ones, and those that `Connection` names. */
export function hopFields(connection: string | null): ReadonlySet<string> {
  if (connection === null || /^(?:keep-alive|close|upgrade)$/i.test(connection)) return HOP;
  const named = connection
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  return new Set([...ALWAYS, ...named.filter((name) => !STAYS.test(name))]);
}
