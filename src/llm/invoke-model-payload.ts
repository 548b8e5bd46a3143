import { isSpace, QUOTE } from "./json-bytes.ts";
import type { JsonScanner } from "./json-scanner.ts";

/** How a payload of Bedrock's InvokeModel begins: a document of the model's own API follows, in base64. */
const WRAPPING = new TextEncoder().encode('{"bytes":"');

/** Instead of a number of matched bytes: the payload is a document itself, or the wrapped one has ended. */
const UNWRAPPED = -1;
const OVER = -2;

/** Gives the documents of payloads to a scanner, those that InvokeModel wraps, too. */
export function unwrapPayloads(
  scanner: Pick<JsonScanner, "scan" | "restart">,
): Pick<JsonScanner, "scan" | "restart"> {
  /** How many bytes of `WRAPPING` the payload has begun with. */
  let matched = 0;
  /** Fewer than four letters, which are no whole bytes yet. */
  let letters = "";

  function match(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && matched >= 0 && matched < WRAPPING.length) {
      if (bytes[at] === WRAPPING[matched]) {
        matched++;
        at++;
      } else if (isSpace(bytes[at]!)) at++;
      else {
        scanner.scan(WRAPPING, 0, matched);
        matched = UNWRAPPED;
      }
    }
    return at;
  }

  function decode(bytes: Uint8Array, from: number, to: number): void {
    const quote = bytes.indexOf(QUOTE, from);
    const hasEnded = quote !== -1 && quote < to;
    letters += String.fromCharCode(...bytes.subarray(from, hasEnded ? quote : to));
    const whole = hasEnded ? letters.length : letters.length - (letters.length % 4);
    try {
      const decoded = Uint8Array.from(atob(letters.slice(0, whole)), (each) => each.charCodeAt(0));
      scanner.scan(decoded, 0, decoded.length);
      letters = letters.slice(whole);
      if (hasEnded) matched = OVER;
    } catch {
      matched = OVER;
    }
  }

  return {
    restart() {
      matched = 0;
      letters = "";
      scanner.restart();
    },

    scan(bytes, from, to) {
      const at = match(bytes, from, to);
      if (matched === UNWRAPPED) scanner.scan(bytes, at, to);
      // In slices, because a call has a largest number of arguments.
      for (let start = at; start < to && matched === WRAPPING.length; start += 4096) {
        decode(bytes, start, Math.min(to, start + 4096));
      }
    },
  };
}
