import { TidegateError } from "../errors/errors.ts";

/**
 * Longest identity that stands in a key as it is; longer ones are hashed. An IPv6 prefix, a UUID or an e-mail
 * address fits, and a key cannot grow without bound.
 */
const MAX_LENGTH = 128;

/** Everything that could close or move the hash tag, pass for an escape (`%`) or a hash (`#`), or break a log's line. */
const UNSAFE = /[^A-Za-z0-9._~@:/+=,|-]/g;
const UNSAFE_ONCE = new RegExp(UNSAFE.source);

/**
 * The partition key of an identity: what stands between the braces of its Redis keys. Different identities never get
 * the same one. Only an identity over 128 characters is hashed, and only then the answer is a promise.
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
    // Most identities need no escape: asking first saves them the copy.
    if (!UNSAFE_ONCE.test(identity)) return identity;
    const escaped = escape(identity);
    if (escaped.length <= MAX_LENGTH) return escaped;
  }
  return hash(identity).then((hashed) => `#${hashed}`);
}

/** A stand-in of 43 characters (SHA-256) for a text that is too long, or that must not be read in Redis. */
export async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(escape(text)));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

/** By UTF-16 code unit, not by UTF-8: broken surrogates would all become the same replacement character. */
function escape(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    return code < 256
      ? `%${code.toString(16).padStart(2, "0")}`
      : `%u${code.toString(16).padStart(4, "0")}`;
  });
}
