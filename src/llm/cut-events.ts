import { readEvents } from "./event-stream.ts";

/** Longer than any event but the last one of a long answer, of which nothing needs to be known. */
const LONGEST = 65_536;

/** An event of a stream that has ended in a chunk: its data, and the index of the first byte after it. */
export interface EndedEvent {
  readonly data: string;
  readonly end: number;
}

/** Splits a stream of server-sent events where one of them ends, without changing a byte. */
export interface EventCutter {
  /** The events that end in the next chunk. */
  read(chunk: Uint8Array): readonly EndedEvent[];
}

export function createEventCutter(): EventCutter {
  const decoder = new TextDecoder();
  let data = "";
  let size = 0;
  let ended: EndedEvent[] = [];
  const readChunk = readEvents({
    scan(bytes, from, to) {
      size += to - from;
      const text = decoder.decode(bytes.subarray(from, to), { stream: true });
      if (size <= LONGEST) data += text;
    },
    restart(end) {
      ended.push({ data: size <= LONGEST ? data : "", end });
      [data, size] = ["", 0];
    },
  });

  return {
    read(chunk) {
      ended = [];
      readChunk(chunk);
      return ended;
    },
  };
}
