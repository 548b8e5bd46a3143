import { isRecord } from "../options/record.ts";
import { usageOfDocument } from "./document-usage.ts";
import { readEvents } from "./event-stream.ts";
import { STREAM_ENDINGS, type StreamEnding, type StreamEvent } from "./stream-endings.ts";
import { HUNDREDTHS, textTokens } from "./text-tokens.ts";

/** An answer that arrives in a stream, until it becomes too long. */
export interface StreamedAnswer {
  /**
   * Reads the next chunk.
   *
   * @returns the index in the chunk after which the stream is to be cut, between two events; `undefined` if all of it may pass
   */
  read(chunk: Uint8Array): number | undefined;
  /** The estimated tokens of all that was read, or those that the provider has told so far if these are more. */
  tokens(): number;
  /** The events that end the answer where it was cut. */
  closing(): string;
}

/** An answer is estimated in pieces, so that no more than so many characters of it are kept. */
const PIECE = 500;

/**
 * @param most the tokens from which the answer is too long
 * @param hidden tokens of reasoning that the stream does not show
 */
export function createStreamedAnswer(most: number, hidden: number): StreamedAnswer {
  const cutter = createEventCutter();
  let api: StreamEnding | undefined;
  let first: StreamEvent = {};
  let last: StreamEvent = {};
  let hasEnded = false;
  /** Tokens of the pieces before this one, in hundredths. */
  let counted = 0;
  let piece = "";
  /** Gemini, xAI and others tell the tokens so far, hidden ones too, with each event. */
  let told = 0;

  const tokens = () =>
    Math.max(told, hidden + Math.ceil((counted + textTokens(piece)) / HUNDREDTHS));

  function add(event: StreamEvent): void {
    if (!api) {
      api = STREAM_ENDINGS.find(({ is }) => is(event));
      first = event;
    }
    if (!api?.is(event)) return;
    hasEnded ||= api.isEnd(event);
    piece += api.text(event);
    if (piece.length < PIECE) return;
    counted += textTokens(piece);
    piece = "";
  }

  return {
    read(chunk) {
      let at: number | undefined;
      for (const { data, end } of cutter.read(chunk)) {
        const event = parsed(data);
        if (isRecord(event)) add(event);
        if (/usage/i.test(data)) told = Math.max(told, toldIn(data));
        if (at !== undefined || !api || tokens() < most) continue;
        at = end;
        if (isRecord(event)) last = event;
      }
      // The provider has ended it, and tells its usage.
      return hasEnded ? undefined : at;
    },
    tokens,
    closing: () => api!.end(first, last, tokens()),
  };
}

/** The tokens of the answer that an event tells. */
const toldIn = (data: string) => usageOfDocument(new TextEncoder().encode(data))?.outputTokens ?? 0;

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Longer than any event but the last one of a long answer, of which nothing needs to be known. */
const LONGEST = 65_536;

/** An event of a stream that has ended in a chunk: its data, and the index of the first byte after it. */
interface EndedEvent {
  readonly data: string;
  readonly end: number;
}

/** Splits a stream of server-sent events where one of them ends, without changing a byte. */
interface EventCutter {
  read(chunk: Uint8Array): readonly EndedEvent[];
}

function createEventCutter(): EventCutter {
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
