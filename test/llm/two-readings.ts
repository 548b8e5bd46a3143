/** A call of the tool `search`. */
export const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}';

/** In the code units of a charset, with or without a mark of their order. */
function utf16(text: string, { mark = "", big = false } = {}): ArrayBuffer {
  const bytes = new Uint8Array((mark + text).length * 2);
  const view = new DataView(bytes.buffer);
  [...(mark + text)].forEach((each, i) => view.setUint16(i * 2, each.charCodeAt(0), !big));
  return bytes.buffer;
}

function bytesOf(...parts: readonly (string | number)[]): ArrayBuffer {
  const encoder = new TextEncoder();
  const bytes = parts.flatMap((part) =>
    typeof part === "string" ? Array.from(encoder.encode(part)) : [part],
  );
  return new Uint8Array(bytes).buffer;
}

type Headers = Record<string, string>;
const typed = (type: string): Headers => ({ "content-type": type });

/** Bodies that are JSON, and that servers read in different ways. */
const INVALID: readonly (readonly [what: string, body: string])[] = [
  // One name twice: the first value, or the last.
  ["method twice, the call first", CALL.replace('"params"', '"method":"ping","params"')],
  ["method twice, the call last", CALL.replace('"method"', '"method":"ping","method"')],
  ["method twice, once with an escape", CALL.replace('"method"', '"meth\\u006fd":"ping","method"')],
  ["params twice", CALL.replace('"params"', '"params":{"name":"free"},"params"')],
  ["a tool's name twice", CALL.replace('"name"', '"name":"free","name"')],
  [
    "a name twice within arguments",
    CALL.replace('"search"', '"search","arguments":{"q":"a","q":"b"}'),
  ],
  [
    "a name twice beside a list",
    CALL.replace('"name"', '"_meta":{"list":[1,2,3]},"name":"free","name"'),
  ],
  ["id twice", CALL.replace('"id":1', '"id":1,"id":2')],
  [
    "a name twice behind a quote and a colon in a text",
    CALL.replace('"name":', '"a":"\\\\\\":","name":"free","name":'),
  ],
  // In another spelling: parsers of Go and .NET ignore case.
  ["METHOD", CALL.replace("method", "METHOD")],
  ["METHOD beside another method", CALL.replace('"method"', '"method":"ping","METHOD"')],
  ["Params", CALL.replace("params", "Params")],
  ["params with a long s", CALL.replace("params", "paramſ")],
  ["Name beside name", CALL.replace('"name"', '"name":"free","Name"')],
  ["method with NUL behind it", CALL.replace('"method"', '"method\\u0000x"')],
  ["method with a blank", CALL.replace('"method"', '" method"')],
  ["Tools/Call", CALL.replace("tools/call", "Tools/Call")],
  ["tools/call with NUL behind it", CALL.replace("tools/call", "tools/call\\u0000")],
  ["tools/call with a line feed", CALL.replace("tools/call", "tools/call\\n")],
  ["a prototype with a method", `{"jsonrpc":"2.0","id":1,"__proto__":${CALL}}`],
  ["parameters with a prototype", CALL.replace('"name":"search"', '"__proto__":{"name":"search"}')],
  // In another form.
  ["a list that is the method", CALL.replace('"tools/call"', '["tools/call"]')],
  ["JSON in a text", JSON.stringify(CALL)],
  ["a batch in a batch", `[[${CALL}]]`],
  ["a batch of a message and a text of JSON", `[${JSON.stringify(CALL)}]`],
  ["a batch of nothing", "[]"],
  ["two calls", `[${CALL},${CALL}]`],
  ["a call in another spelling behind a call", `[${CALL},${CALL.replace("method", "Method")}]`],
  ["null", "null"],
  ["an object without a method", '{"jsonrpc":"2.0","id":1}'],
];

/** Bodies that not every server reads as JSON. */
const UNREADABLE: readonly (readonly [what: string, body: BodyInit | null, headers?: Headers])[] = [
  // Calls that only some parsers read.
  ["a second value behind the first", `{"jsonrpc":"2.0","method":"ping"}\n${CALL}`],
  ["a comment", CALL.replace("{", "{/*")],
  ["a comma at the end", CALL.replace(/\}$/, ",}")],
  ["single quotes", CALL.replaceAll('"', "'")],
  ["NaN", CALL.replace('"id":1', '"id":NaN')],
  ["half of a call", CALL.slice(0, -1)],
  ["no body", null],
  ["two marks of order", `\uFEFF\uFEFF${CALL}`],
  ["NUL behind it", `${CALL}\0`],
  // Other texts of the same bytes.
  ["UTF-16", utf16(CALL), typed("application/json; charset=utf-16le")],
  ["UTF-16 without its name", utf16(CALL)],
  ["UTF-16 with a mark", utf16(CALL, { mark: "\uFEFF" })],
  ["UTF-16, the high byte first", utf16(CALL, { mark: "\uFEFF", big: true })],
  ["UTF-7", CALL.replace("tools/call", "tools+AC8-call"), typed("application/json; charset=utf-7")],
  ["two charsets", CALL, typed("application/json; charset=utf-8; charset=utf-7")],
  ["a slash in two bytes", bytesOf(CALL.split("/")[0]!, 0xc0, 0xaf, CALL.split("/")[1]!)],
  ["a byte that begins no character", bytesOf(CALL.slice(0, -2), 0xff, CALL.slice(-2))],
  ["a form", '{"a":"&method=tools/call&"}', typed("application/x-www-form-urlencoded")],
  [
    "a form that names JSON",
    '{"a":"&method=tools/call&"}',
    typed("application/x-www-form-urlencoded; a=application/json"),
  ],
  ["two media types", CALL, typed("application/json, text/plain")],
  ["no media type", bytesOf(CALL), typed("")],
];

/** All of them, with the code of the error that refuses each. */
export const ATTACKS: readonly (readonly [
  what: string,
  code: number,
  body: BodyInit | null,
  headers?: Headers,
])[] = [
  ...INVALID.map(([what, body]) => [what, -32_600, body] as const),
  ...UNREADABLE.map(([what, body, headers = {}]) => [what, -32_700, body, headers] as const),
];
