/** The partition key of all requests together. No identity has it, because `*` is escaped. */
export const EVERYBODY = "*";

/** Characters that could close or move the hash tag, imitate an escape (`%`) or a hash (`#`), or break a log line. */
const UNSAFE = /[^A-Za-z0-9._~@:/+=,|-]+/g;
export const UNSAFE_ONCE = new RegExp(UNSAFE.source);

/** Replaces a text that is too long, or that must not be readable in Redis, by 43 characters of SHA-256. */
export async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(escape(text)));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

/** Encodes UTF-16 code units, because UTF-8 turns all broken surrogates into the same replacement character. */
export function escape(text: string): string {
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
