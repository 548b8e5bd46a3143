/**
 * The most bytes of a document, as UTF-8: what the smallest plans of hosted Redis take in one request, with room for the
 * rest of it.
 */
export const MAX_DOCUMENT_BYTES = 900_000;

/** Whether a text has more bytes of UTF-8 than this. They are counted only where its length does not tell. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A code unit of UTF-16 has at most three bytes.
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes;
}
