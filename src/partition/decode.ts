const PERCENT = 0x25;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A `%` that begins no escape, or an escape that is a part of a character outside ASCII, with or without its other parts. */
const UNSURE = /%(?![0-7][\da-f])/i;

/**
 * Decodes escapes once, as lenient origins do: bytes that are not UTF-8 become U+FFFD, what is no escape stays, and the
 * escapes around it are decoded.
 */
export function decode(text: string): string {
  if (!text.includes("%")) return text;
  // `decodeURIComponent` throws for what it cannot decode: a client could make each request throw thousands of errors.
  return UNSURE.test(text) ? decodeBytes(encoder.encode(text)) : decodeURIComponent(text);
}

/** The values of hexadecimal digits by their codes; 255 for any other character. */
const DIGITS = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

function decodeBytes(bytes: Uint8Array): string {
  let length = bytes.indexOf(PERCENT);
  for (let i = length; i < bytes.length; i++) {
    let byte = bytes[i]!;
    if (byte === PERCENT) {
      const high = DIGITS[bytes[i + 1] ?? 0]!;
      const low = DIGITS[bytes[i + 2] ?? 0]!;
      if ((high | low) < 16) {
        byte = high * 16 + low;
        i += 2;
      }
    }
    bytes[length++] = byte;
  }
  return decoder.decode(bytes.subarray(0, length));
}

/** A capital, or a character outside ASCII: folding its case may change it. */
const FOLDS = /[^ -@[-~]/;

/** Folds case by way of capitals, because some origins do: there the long s (U+017F) becomes an S. */
export function foldCase(text: string): string {
  return FOLDS.test(text) ? text.toUpperCase().toLowerCase() : text;
}
