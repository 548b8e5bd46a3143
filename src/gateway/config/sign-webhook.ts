/** A key of a webhook: base64 of random bytes, with or without the prefix of such keys. */
const KEY = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/;

/** As the specification of Standard Webhooks has it: fewer can be guessed, and more are no safer. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** The bytes of a key; `undefined` for any other text. */
export function keyIn(text: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = KEY.exec(text)?.[1];
  if (base64 === undefined || base64.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : undefined;
}

/** HMAC-SHA256, in base64. */
export async function sign(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signed)));
}
