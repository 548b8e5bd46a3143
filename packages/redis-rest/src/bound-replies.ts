import type { Duplex } from "node:stream";

/** The most values in one reply, nested ones too: as text and as objects, more of them end a process of 128 MB. */
const MAX_ELEMENTS = 250_000;

/** The longest reply, as Redis sends it: control characters take six bytes each in the JSON of the answer. */
const MAX_BYTES = 10 * 1024 * 1024;

const REFUSAL = Buffer.from(
  `-ERR the reply has more than ${MAX_ELEMENTS} elements or ${MAX_BYTES} bytes. The command has run. Read it in parts, as with SSCAN or LRANGE\r\n`,
);

/** The bytes of `*`, `$`, a line break, `-` and `0`. */
const [ARRAY, STRING, NEWLINE, MINUS, ZERO] = [0x2a, 0x24, 0x0a, 0x2d, 0x30];

const NOTHING = Buffer.alloc(0);

/**
 * Puts an error in the place of each reply that is too large for the process, so that the replies to other clients, before
 * and after it on this connection, are as they were.
 *
 * @param stream on which a Redis answers by RESP2, before its first byte
 */
export function boundReplies(stream: Duplex): void {
  const push = stream.push.bind(stream);
  const bound = replyBound();
  stream.push = (chunk: unknown) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk);
    const chunks = bound(chunk);
    // A Redis that is in the middle of a long reply is not silent: the timeout of the connection looks at this event.
    if (chunks.length === 0) stream.emit("data", NOTHING);
    return chunks.map((bytes) => push(bytes)).every(Boolean);
  };
}

/** Takes the bytes of a Redis, and returns whole replies: one that is not complete is held until it is. */
function replyBound(): (chunk: Buffer) => readonly Buffer[] {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isTooLarge = false;
  /** Values that the reply still lacks, and those that it has. */
  let lacking = 1;
  let elements = 0;
  /** Bytes of a string that are still to come, with the end of its line. */
  let ofString = 0;
  /** The line that is being read, whose end may be in the next chunk. */
  let type: number | undefined;
  let length = 0;
  let isNull = false;

  /** @returns where the line goes on in the next chunk; `undefined` at its end */
  function readLine(chunk: Buffer, from: number): number | undefined {
    let at = from;
    type ??= chunk[at++]!;
    const newline = chunk.indexOf(NEWLINE, at);
    const end = newline === -1 ? chunk.length : newline;
    if (type === ARRAY || type === STRING) {
      for (; at < end; at++) {
        const byte = chunk[at]!;
        if (byte === MINUS) isNull = true;
        else if (byte >= ZERO) length = length * 10 + byte - ZERO;
      }
    }
    return newline === -1 ? undefined : newline + 1;
  }

  function endLine(): void {
    lacking--;
    elements++;
    if (!isNull && type === ARRAY) lacking += length;
    if (!isNull && type === STRING) ofString = length + 2;
    type = undefined;
    length = 0;
    isNull = false;
  }

  function dropIfTooLarge(bytes: number): void {
    if (elements + lacking <= MAX_ELEMENTS + 1 && bytes + ofString <= MAX_BYTES) return;
    isTooLarge = true;
    held = [];
  }

  function beginReply(): void {
    held = [];
    heldBytes = elements = 0;
    lacking = 1;
    isTooLarge = false;
  }

  return function bound(chunk) {
    const chunks: Buffer[] = [];
    const pass = (from: number, to: number) => {
      if (to > from) chunks.push(chunk.subarray(from, to));
    };
    /** The start of the reply here, and the start of the bytes to pass on. */
    let begin = 0;
    let passed = 0;
    let at = 0;
    while (at < chunk.length) {
      if (ofString > 0) {
        const some = Math.min(ofString, chunk.length - at);
        at += some;
        ofString -= some;
      } else {
        const next = readLine(chunk, at);
        at = next ?? chunk.length;
        if (next === undefined) break;
        endLine();
        dropIfTooLarge(heldBytes + at - begin);
      }
      if (lacking > 0 || ofString > 0) continue;
      if (isTooLarge) {
        pass(passed, begin);
        chunks.push(REFUSAL);
        passed = at;
      } else {
        chunks.push(...held);
      }
      beginReply();
      begin = at;
    }
    pass(passed, begin);
    if (begin < chunk.length && !isTooLarge) {
      held.push(chunk.subarray(begin));
      heldBytes += chunk.length - begin;
      dropIfTooLarge(heldBytes);
    }
    return chunks;
  };
}
