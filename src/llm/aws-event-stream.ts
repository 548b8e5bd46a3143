import { unwrapPayloads } from "./invoke-model-payload.ts";
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
