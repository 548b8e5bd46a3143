import { isSpace, QUOTE } from "./json-bytes.ts";
import type { JsonScanner } from "./json-scanner.ts";

/** The length of a message and that of its headers, each of four bytes, and a checksum. */
const PRELUDE = 12;

/** The checksum at the end of a message. */
const CHECKSUM = 4;

/**
 * Gives the payloads of AWS's event streams to a scanner, each as a document. The checksums are not compared: a usage that is
 * read wrongly is no worse than one that is sent wrongly.
 */
export function readAwsEvents(
  scanner: Pick<JsonScanner, "scan" | "restart">,
): (bytes: Uint8Array) => void {
  const payloads = unwrapPayloads(scanner);
  const prelude = new DataView(new ArrayBuffer(PRELUDE));
  let hasFailed = false;
  /** How many bytes of the message were read. */
  let read = 0;
  let start = PRELUDE;
  let end = PRELUDE;

  function begin(): void {
    const length = prelude.getUint32(0);
    start = PRELUDE + prelude.getUint32(4);
    end = length - CHECKSUM;
    hasFailed = start > end;
    payloads.restart();
  }

  return (bytes) => {
    let at = 0;
    while (at < bytes.length && !hasFailed) {
      if (read < PRELUDE) {
        prelude.setUint8(read++, bytes[at++]!);
        if (read === PRELUDE) begin();
        continue;
      }
      const until = read < start ? start : read < end ? end : end + CHECKSUM;
      const taken = Math.min(bytes.length - at, until - read);
      if (read >= start && until === end) payloads.scan(bytes, at, at + taken);
      at += taken;
      read += taken;
      if (read === end + CHECKSUM) read = 0;
    }
  };
}

/** How a payload of Bedrock's InvokeModel begins: a document of the model's own API follows, in base64. */
const WRAPPING = new TextEncoder().encode('{"bytes":"');

/** Instead of a number of matched bytes: the payload is a document itself, or the wrapped one has ended. */
const UNWRAPPED = -1;
const OVER = -2;

/** Gives the documents of payloads to a scanner, those that InvokeModel wraps, too. */
function unwrapPayloads(
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
