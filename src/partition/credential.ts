/** Header fields that carry a credential, by their names: `authorization`, `x-api-key`, `x-auth-token`. */
const CREDENTIAL = /(?:authorization|key|token)$/;

const WITH_SCHEME = /authorization$/;

/** A further parameter of a field with a scheme, as opposed to a second credential. */
const TOKEN = /^(?:\S+\s+)?[\w.~+/-]+=*$/;

/**
 * One spelling per credential, so that spelling the same login differently makes no new client. `undefined` for
 * several credentials in one field: one origin would take the first, another the last.
 *
 * @param name of the header field, in lower case
 * @param value without blanks around it
 */
export function oneSpelling(name: string, value: string): string | undefined {
  if (!CREDENTIAL.test(name)) return value;
  const parts = value.split(",");
  const hasScheme = WITH_SCHEME.test(name);
  if (parts.length > 1 && !(hasScheme && parts.every((word) => !TOKEN.test(word.trim())))) {
    return undefined;
  }
  const end = hasScheme ? value.search(/\s/) : -1;
  if (end === -1) return value;
  const scheme = value.slice(0, end).toLowerCase();
  const rest = value.slice(end).trimStart();
  return `${scheme} ${scheme === "basic" ? decodeBasic(rest) : rest}`;
}

/** Tolerant like the decoders of servers, which skip characters outside base64 and bits that fill no byte. */
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
