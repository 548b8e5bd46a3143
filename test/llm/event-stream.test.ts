import { describe, expect, test } from "vitest";

import { readEvents } from "../../src/llm/event-stream.ts";
import { bytesOf, cut, everywhere } from "./streamed.ts";

/** The output of a stream to its scanner: the data, with a bar where a document begins. */
function given(chunks: readonly Uint8Array[]): string {
  let text = "";
  const read = readEvents({
    scan: (bytes, from, to) => void (text += new TextDecoder().decode(bytes.subarray(from, to))),
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
