const PERCENT = 0x25;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes escapes once, as lenient origins do: bytes that are not UTF-8 become U+FFFD, what is no escape stays, and the
 * escapes around it are decoded.
 */
export function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeBytes(encoder.encode(text));
  }
}

/** The values of hexadecimal digits by their codes; 255 for any other character. */
const DIGITS = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** Decodes all escapes with one call: a text of many faulty escapes must not cost a call, or an error, for each. */
function decodeBytes(bytes: Uint8Array): string {
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
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

/** Folds case by way of capitals, because some origins do: there the long s (U+017F) becomes an S. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
