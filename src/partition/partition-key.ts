import { TidegateError } from "../options/errors.ts";
import { reportOnce } from "../runtime/log.ts";

/**
 * The longest identity that appears in a key unhashed: an IPv6 prefix, a UUID or an e-mail address fits, and a key
 * cannot grow without bound.
 */
const MAX_LENGTH = 128;

/** The partition key of all requests together. No identity has it, because `*` is escaped. */
export const EVERYBODY = "*";

/** Characters that could close or move the hash tag, imitate an escape (`%`) or a hash (`#`), or break a log line. */
const UNSAFE = /[^A-Za-z0-9._~@:/+=,|-]+/g;
const UNSAFE_ONCE = new RegExp(UNSAFE.source);

/**
 * The partition key of an identity: the text between the braces of its Redis keys. Different identities never share
 * one. Only an identity over 128 characters is hashed, and only then is the result a promise.
 *
 * @throws TidegateError `ERR_IDENTITY` for anything but a string of at least one character
 */
export function partitionKey(identity: string): string | Promise<string> {
  if (typeof identity !== "string" || identity === "") {
    throw new TidegateError(
      "ERR_IDENTITY",
      `The identity must be a string of at least one character, not ${identity === "" ? "an empty one" : typeof identity}: decide what a request without identity gets before the limiter is asked.`,
    );
  }
  if (identity.length <= MAX_LENGTH) {
    // Most identities need no escape, and the test is cheaper than a copy.
    if (!UNSAFE_ONCE.test(identity)) return identity;
    const escaped = escape(identity);
    if (escaped.length <= MAX_LENGTH) return escaped;
  }
  return hash(identity).then((hashed) => `#${hashed}`);
}

/** Replaces a text that is too long, or that must not be readable in Redis, by 43 characters of SHA-256. */
export async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(escape(text)));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

/** Encodes UTF-16 code units, because UTF-8 turns all broken surrogates into the same replacement character. */
function escape(text: string): string {
  return text.replace(UNSAFE, (run) => {
    let escaped = "";
    for (let i = 0; i < run.length; i++) escaped += escapeOf(run.charCodeAt(i));
    return escaped;
  });
}

/** The escapes of bytes, each made once: a header can need thousands. */
const escapes: string[] = [];

function escapeOf(code: number): string {
  if (code >= 256) return `%u${code.toString(16).padStart(4, "0")}`;
  return (escapes[code] ??= `%${code.toString(16).padStart(2, "0")}`);
}

/** Written like an address of IPv6: a rough look, so that `limit()` ships no parser for a warning. */
const RAW_IPV6 = /^(?=.*::|(?:[^:]*:){7}[^:]*$)[\da-f:.]+$/i;

/** The number of identities that an isolate checks: an application either passes raw addresses or does not. */
const LOOKED_AT = 1_000;
let looked = 0;

/** Warns once about an identity that is a raw IPv6 address: each of a subscriber's 2^64 would have a quota of its own. */
export function warnOfRawAddress(identity: string): void {
  if (looked === LOOKED_AT) return;
  looked++;
  if (!RAW_IPV6.test(identity)) return;
  looked = LOOKED_AT;
  reportOnce(
    "An identity is a raw IPv6 address, and one client has 2^64 of them: pass clientKey(address), which counts its /64.",
  );
}
