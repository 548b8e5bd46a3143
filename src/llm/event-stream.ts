import { isByteOrderMark } from "./json-bytes.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** How a line with data begins. The space that may follow is also one of JSON. */
const DATA = new TextEncoder().encode("data:");

/** The byte between several lines of data in one event. */
const JOINT = Uint8Array.of(LINE_FEED);

/** Instead of a number of matched bytes: the line has begun with something else, and does not matter. */
const OTHER = -1;

/** Gets the data of events, piece by piece. */
interface DataReader {
  scan(bytes: Uint8Array, from: number, to: number): void;
  /** Called where an event ends, with the index of the first byte after it. */
  restart(end: number): void;
}

/**
 * Gives the data of a stream of server-sent events to a reader, event by event. Lines end in LF, CR or both, and are not
 * kept, so they may have any length.
 */
export function readEvents(reader: DataReader): (bytes: Uint8Array) => void {
  /** How many bytes of `DATA` the line has begun with. */
  let matched = 0;
  let afterReturn = false;
  let hasBegun = false;

  function endLine(end: number): void {
    if (matched === 0) reader.restart(end);
    else if (matched === DATA.length) reader.scan(JOINT, 0, 1);
    matched = 0;
  }

  function beginLine(byte: number, end: number): void {
    if (!hasBegun && isByteOrderMark(byte)) return;
    hasBegun = true;
    const isSecondOfTwo = byte === LINE_FEED && afterReturn;
    afterReturn = byte === CARRIAGE_RETURN;
    if (isSecondOfTwo) return;
    if (isLineEnd(byte)) endLine(end);
    else matched = byte === DATA[matched] ? matched + 1 : OTHER;
  }

  return function read(bytes) {
    let at = 0;
    while (at < bytes.length) {
      if (matched >= 0 && matched < DATA.length) beginLine(bytes[at]!, ++at);
      else {
        const end = lineEnd(bytes, at);
        if (matched === DATA.length) reader.scan(bytes, at, end);
        at = end;
        if (at < bytes.length) beginLine(bytes[at]!, ++at);
      }
    }
  };
}

/** The index of the first line end from `from` on, or of the end of the bytes. */
function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !isLineEnd(bytes[at]!)) at++;
  return at;
}

const isLineEnd = (byte: number) => byte === LINE_FEED || byte === CARRIAGE_RETURN;
