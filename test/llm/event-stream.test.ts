import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readEvents } from "../../src/llm/event-stream.ts";
import { runs } from "../support/runs.ts";
import { bytesOf, cut, everywhere } from "./streamed.ts";

/** The output of a stream to its scanner: the data, with a bar where a document begins. */
function given(chunks: readonly Uint8Array[]): string {
  let text = "";
  const decoder = new TextDecoder();
  const read = readEvents({
    scan(bytes, from, to) {
      text += decoder.decode(bytes.subarray(from, to), { stream: true });
    },
    restart: () => void (text += "|"),
  });
  for (const chunk of chunks) read(chunk);
  return text;
}

describe.each([
  ["LF", "\n"],
  ["CR LF", "\r\n"],
  ["CR", "\r"],
])("the data of events, with lines that end in %s,", (_name, end) => {
  test.each([
    ["is one document for each event", "data: 1~~data: 2~~", " 1\n| 2\n|"],
    ["is joined by a line feed", "data: {~data:}~~", " {\n}\n|"],
    ["is read between other fields", "event: e~id: data: 1~data: 2~retry: 1~~", " 2\n|"],
    ["is not that of a comment", ": data: 1~:~~", "|"],
    ["is not that of other names", "datas: 1~dat: 2~xdata: 3~ data: 4~Data: 5~data~~", "|"],
    ["may be empty", "data:~~data: ~~", "\n| \n|"],
    ["may be the last of the stream without an end", "data: 1", " 1"],
  ])("%s", (_what, stream, expected) => {
    const bytes = bytesOf(stream.replaceAll("~", end));
    expect(given([bytes])).toBe(expected);
    expect(given(cut(bytes, everywhere(bytes)))).toBe(expected);
  });
});

/** The data of each event as eventsource-parser reads it, which takes texts and keeps an event until its end. */
function parsed(stream: string): readonly string[] {
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => void events.push(data) }).feed(stream);
  return events;
}

const PARTS = [
  ..."data: 1;data:{;data:;data:  é;data: data: 2;event: e;id: 7;retry: 5;: data: 3;datax: 4;x".split(
    ";",
  ),
  "",
];

test("any stream has the events that eventsource-parser reads, wherever it is cut", () => {
  const line = fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom("\n", "\r", "\r\n"));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(200)), (lines, drawn) => {
      // An event that the stream does not end is none for the parser.
      const stream = `${lines.flat().join("")}\n\n`;
      const bytes = bytesOf(stream);
      const positions = drawn.filter((at) => at < bytes.length).sort((a, b) => a - b);
      const read = cut(bytes, positions);
      const own = given(read)
        .split("|")
        .filter((event) => event !== "")
        .map((event) => event.slice(0, -1).replace(/^ /gm, ""));
      expect(own).toEqual(parsed(stream));
    }),
    { numRuns: runs(2_000) },
  );
});
