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

const PARSE = -32_700;
const INVALID = -32_600;

type Attack = readonly [
  what: string,
  code: typeof PARSE | typeof INVALID,
  body: BodyInit | null,
  headers?: Record<string, string>,
];

/** Bodies that servers read in different ways, with the code of the error that refuses each. */
export const ATTACKS: readonly Attack[] = [
  // One name twice: the first value, or the last.
  ["method twice, the call first", INVALID, CALL.replace('"params"', '"method":"ping","params"')],
  ["method twice, the call last", INVALID, CALL.replace('"method"', '"method":"ping","method"')],
  [
    "method twice, once with an escape",
    INVALID,
    CALL.replace('"method"', '"meth\\u006fd":"ping","method"'),
  ],
  ["params twice", INVALID, CALL.replace('"params"', '"params":{"name":"free"},"params"')],
  ["a tool's name twice", INVALID, CALL.replace('"name"', '"name":"free","name"')],
  [
    "a name twice within arguments",
    INVALID,
    CALL.replace('"search"', '"search","arguments":{"q":"a","q":"b"}'),
  ],
  [
    "a name twice beside a list",
    INVALID,
    CALL.replace('"name"', '"_meta":{"list":[1,2,3]},"name":"free","name"'),
  ],
  ["id twice", INVALID, CALL.replace('"id":1', '"id":1,"id":2')],
  [
    "a name twice behind a quote and a colon in a text",
    INVALID,
    CALL.replace('"name":', '"a":"\\\\\\":","name":"free","name":'),
  ],
  // In another spelling: parsers of Go and .NET ignore case.
  ["METHOD", INVALID, CALL.replace("method", "METHOD")],
  ["METHOD beside another method", INVALID, CALL.replace('"method"', '"method":"ping","METHOD"')],
  ["Params", INVALID, CALL.replace("params", "Params")],
  ["params with a long s", INVALID, CALL.replace("params", "paramſ")],
  ["Name beside name", INVALID, CALL.replace('"name"', '"name":"free","Name"')],
  ["method with NUL behind it", INVALID, CALL.replace('"method"', '"method\\u0000x"')],
  ["method with a blank", INVALID, CALL.replace('"method"', '" method"')],
  ["Tools/Call", INVALID, CALL.replace("tools/call", "Tools/Call")],
  ["tools/call with NUL behind it", INVALID, CALL.replace("tools/call", "tools/call\\u0000")],
  ["tools/call with a line feed", INVALID, CALL.replace("tools/call", "tools/call\\n")],
  ["a prototype with a method", INVALID, `{"jsonrpc":"2.0","id":1,"__proto__":${CALL}}`],
  [
    "parameters with a prototype",
    INVALID,
    CALL.replace('"name":"search"', '"__proto__":{"name":"search"}'),
  ],
  // In another form.
  ["a list that is the method", INVALID, CALL.replace('"tools/call"', '["tools/call"]')],
  ["JSON in a text", INVALID, JSON.stringify(CALL)],
  ["a batch in a batch", INVALID, `[[${CALL}]]`],
  ["a batch of a message and a text of JSON", INVALID, `[${JSON.stringify(CALL)}]`],
  ["a batch of nothing", INVALID, "[]"],
  ["two calls", INVALID, `[${CALL},${CALL}]`],
  [
    "a call in another spelling behind a call",
    INVALID,
    `[${CALL},${CALL.replace("method", "Method")}]`,
  ],
  ["null", INVALID, "null"],
  ["an object without a method", INVALID, '{"jsonrpc":"2.0","id":1}'],
  // Calls that only some parsers read.
  ["a second value behind the first", PARSE, `{"jsonrpc":"2.0","method":"ping"}\n${CALL}`],
  ["a comment", PARSE, CALL.replace("{", "{/*")],
  ["a comma at the end", PARSE, CALL.replace(/\}$/, ",}")],
  ["single quotes", PARSE, CALL.replaceAll('"', "'")],
  ["NaN", PARSE, CALL.replace('"id":1', '"id":NaN')],
  ["half of a call", PARSE, CALL.slice(0, -1)],
  ["no body", PARSE, null],
  ["two marks of order", PARSE, `\uFEFF\uFEFF${CALL}`],
  ["NUL behind it", PARSE, `${CALL}\0`],
  // Other texts of the same bytes.
  ["UTF-16", PARSE, utf16(CALL), { "content-type": "application/json; charset=utf-16le" }],
  ["UTF-16 without its name", PARSE, utf16(CALL)],
  ["UTF-16 with a mark", PARSE, utf16(CALL, { mark: "\uFEFF" })],
  ["UTF-16, the high byte first", PARSE, utf16(CALL, { mark: "\uFEFF", big: true })],
  [
    "UTF-7",
    PARSE,
    CALL.replace("tools/call", "tools+AC8-call"),
    { "content-type": "application/json; charset=utf-7" },
  ],
  [
    "two charsets",
    PARSE,
    CALL,
    { "content-type": "application/json; charset=utf-8; charset=utf-7" },
  ],
  ["a slash in two bytes", PARSE, bytesOf(CALL.split("/")[0]!, 0xc0, 0xaf, CALL.split("/")[1]!)],
  ["a byte that begins no character", PARSE, bytesOf(CALL.slice(0, -2), 0xff, CALL.slice(-2))],
  [
    "a form",
    PARSE,
    '{"a":"&method=tools/call&"}',
    { "content-type": "application/x-www-form-urlencoded" },
  ],
  [
    "a form that names JSON",
    PARSE,
    '{"a":"&method=tools/call&"}',
    { "content-type": "application/x-www-form-urlencoded; a=application/json" },
  ],
  ["two media types", PARSE, CALL, { "content-type": "application/json, text/plain" }],
  ["no media type", PARSE, bytesOf(CALL), { "content-type": "" }],
];
