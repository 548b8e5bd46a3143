const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

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
  let line = "";
  let data: string[] = [];
  let size = 0;
  /** Whether an event has begun. */
  let isOpen = false;
  let wasReturn = false;

  function endLine(): string | undefined {
    const text = line;
    line = "";
    if (text === "") {
      const ended = isOpen ? data.join("\n") : undefined;
      [data, size, isOpen] = [[], 0, false];
      return ended;
    }
    if (text.startsWith("data:") && size <= LONGEST) data.push(text.slice(text[5] === " " ? 6 : 5));
    return undefined;
  }

  function add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    isOpen = true;
    size += bytes.length;
    const text = decoder.decode(bytes, { stream: true });
    if (size <= LONGEST) line += text;
    // The line is too long to keep: one space marks that it is not empty.
    else line ||= " ";
  }

  return {
    read(chunk) {
      const ended: EndedEvent[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
          wasReturn = false;
          continue;
        }
        add(chunk.subarray(from, at));
        from = at + 1;
        const isSecondOfTwo = byte === LINE_FEED && wasReturn;
        wasReturn = byte === CARRIAGE_RETURN;
        if (isSecondOfTwo) continue;
        const event = endLine();
        if (event !== undefined) ended.push({ data: event, end: from });
      }
      add(chunk.subarray(from));
      return ended;
    },
  };
}
