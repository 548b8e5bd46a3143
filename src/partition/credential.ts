/** Header fields that carry a credential, by their names: `authorization`, `x-api-key`, `x-auth-token`. */
const CREDENTIAL = /(?:authorization|key|token)$/;

const WITH_SCHEME = /authorization$/;

/** What a field with a scheme may hold besides parameters: one credential of its own. */
const TOKEN = /^(?:\S+\s+)?[\w.~+/-]+=*$/;

/**
 * One spelling for each credential, so that it is one identity: the same login in another spelling is no new client.
 * `undefined` for several credentials at once, of which one origin takes the first and another the last.
 *
 * @param name of the header field, in lower case
 * @param value without blanks around it
 */
export function oneSpelling(name: string, value: string): string | undefined {
  if (!CREDENTIAL.test(name)) return value;
  const parts = value.split(",");
  const hasScheme = WITH_SCHEME.test(name);
  if (parts.length > 1 && !(hasScheme && parts.every((part) => !TOKEN.test(part.trim())))) {
    return undefined;
  }
  const [, scheme, rest] = (hasScheme && /^(\S+)\s+([^]*)$/.exec(value)) || [];
  if (scheme === undefined) return value;
  const lower = scheme.toLowerCase();
  return `${lower} ${lower === "basic" ? decodeBasic(rest!) : rest}`;
}

/** As tolerant as the decoders of servers: they pass over what is not base64, and over bits that fill no byte. */
function decodeBasic(text: string): string {
  const base64 = text
    .replace(/=[^]*/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^\w+/]/g, "");
  try {
    return atob(base64);
  } catch {
    return base64;
  }
}
