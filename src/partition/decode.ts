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

/** Decodes all escapes with one call: a text of many faulty escapes must not cost a call, or an error, for each. */
function decodeBytes(bytes: Uint8Array): string {
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const escaped = bytes[i] === 0x25 ? fromHex(bytes[i + 1]) * 16 + fromHex(bytes[i + 2]) : NaN;
    if (escaped >= 0) i += 2;
    bytes[length++] = escaped >= 0 ? escaped : bytes[i]!;
  }
  return decoder.decode(bytes.subarray(0, length));
}

/** The value of a hexadecimal digit; NaN for any other byte. */
function fromHex(byte = 0): number {
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  return byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : NaN;
}

/** Folds case by way of capitals, because some origins do: there the long s (U+017F) becomes an S. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
