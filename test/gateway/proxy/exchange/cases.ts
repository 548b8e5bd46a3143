import { brotliCompressSync, gzipSync } from "node:zlib";

import type { Message } from "./wire.ts";

/** A request and the answer of the origin to it, byte by byte. */
export interface Case {
  readonly name: string;
  /** `{host}` is the server's name. */
  readonly ask: string;
  readonly answer: string;
  /** What differs through the gateway on a platform. */
  readonly node?: Difference;
  readonly workerd?: Difference;
}

/** The status with which a platform refuses a request or an answer, or the parts that it changes. */
export type Difference =
  | number
  | {
      readonly asked?: (asked: Message) => Partial<Message>;
      readonly answered?: (answered: Message) => Partial<Message>;
    };

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TEXT = "hello ".repeat(500);
const gzipped = gzipSync(TEXT).toString("latin1");
const brotli = brotliCompressSync(TEXT).toString("latin1");

const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");

/** A request by its start and its fields, with a body of its own length. */
function ask(start: string, fields: readonly string[] = [], body?: string): string {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  return `${lines(`${start} HTTP/1.1`, "Host: {host}", ...fields, ...length)}\r\n${body ?? ""}`;
}

function askInChunks(
  start: string,
  trailers: readonly string[] = [],
  fields: readonly string[] = [],
): string {
  const head = lines(`${start} HTTP/1.1`, "Host: {host}", ...fields, "Transfer-Encoding: chunked");
  return `${head}\r\n5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n${lines(...trailers)}\r\n`;
}

function answer(status: string, fields: readonly string[] = [], body = ""): string {
  return `${lines(`HTTP/1.1 ${status}`, ...fields, `Content-Length: ${body.length}`)}\r\n${body}`;
}

function answerInChunks(fields: readonly string[], trailers: readonly string[] = []): string {
  const head = lines("HTTP/1.1 200 OK", ...fields, "Transfer-Encoding: chunked");
  return `${head}\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n${lines(...trailers)}\r\n`;
}

const without =
  (...names: readonly string[]) =>
  ({ fields }: Message) => ({
    fields: fields.filter(([name]) => !names.includes(name.toLowerCase())),
  });
const line = (text: string) => () => ({ line: text });
const both = (difference: Difference) => ({ node: difference, workerd: difference });
const NO_TRAILERS = (message: Message) => ({ ...without("trailer")(message), trailers: [] });

export const CASES: readonly Case[] = [
  { name: "a plain GET", ask: ask("GET /x?y=1"), answer: OK },
  { name: "GET with a body", ask: ask("GET /x", [], "hello"), answer: OK },
  { name: "GET with an empty body", ask: ask("GET /x", [], ""), answer: OK },
  { name: "GET in chunks", ask: askInChunks("GET /x"), answer: OK, workerd: 501 },
  { name: "HEAD in chunks", ask: askInChunks("HEAD /x"), answer: answer("200 OK"), workerd: 501 },
  { name: "HEAD with a body", ask: ask("HEAD /x", [], "hello"), answer: answer("200 OK") },
  { name: "DELETE with a body", ask: ask("DELETE /x", [], "hello"), answer: OK },
  { name: "DELETE without a body", ask: ask("DELETE /x"), answer: OK },
  { name: "OPTIONS with a body", ask: ask("OPTIONS /x", [], "hello"), answer: OK },
  { name: "OPTIONS in chunks", ask: askInChunks("OPTIONS /x"), answer: OK },
  {
    name: "POST with a body",
    ask: ask("POST /x", ["Content-Type: text/plain"], "hello"),
    answer: OK,
  },
  { name: "POST with an empty body", ask: ask("POST /x", [], ""), answer: OK },
  { name: "POST without a body", ask: ask("POST /x"), answer: OK },
  { name: "POST in chunks", ask: askInChunks("POST /x"), answer: OK },
  {
    name: "PUT with bytes of every value",
    ask: ask("PUT /x", [], String.fromCharCode(...Array(256).keys())),
    answer: OK,
  },
  { name: "PATCH", ask: ask("PATCH /x", [], "hello"), answer: OK },
  { name: "PROPFIND with a body", ask: ask("PROPFIND /x", ["Depth: 1"], "hello"), answer: OK },
  { name: "PURGE", ask: ask("PURGE /x"), answer: OK },
  { name: "QUERY", ask: ask("QUERY /x", [], "hello"), answer: OK },
  { name: "M-SEARCH", ask: ask("M-SEARCH /x"), answer: OK, workerd: 501 },
  { name: "TRACE", ask: ask("TRACE /x"), answer: OK, ...both(501) },
  {
    name: "CONNECT",
    ask: "CONNECT origin.example:443 HTTP/1.1\r\nHost: origin.example:443\r\n\r\n",
    answer: OK,
    node: 501,
    workerd: 500,
  },
  { name: "an unknown method", ask: ask("FOO /x"), answer: OK, node: 400, workerd: 501 },
  {
    name: "Expect: 100-continue",
    ask: ask("PUT /x", ["Expect: 100-continue"], "hello"),
    answer: OK,
  },
  {
    name: "Expect of something else",
    ask: ask("PUT /x", ["Expect: more"], "hello"),
    answer: OK,
    node: 417,
  },
  {
    name: "trailers of a request",
    ask: askInChunks("POST /x", ["X-Sum: 1", "X-Sum: 2"], ["Trailer: X-Sum"]),
    answer: OK,
    workerd: { asked: NO_TRAILERS },
  },
  {
    name: "Sec-Fetch-Mode: navigate",
    ask: ask("GET /x", [
      "Sec-Fetch-Mode: navigate",
      "Sec-Fetch-Dest: document",
      "Sec-Fetch-Site: none",
      "Sec-Fetch-User: ?1",
    ]),
    answer: OK,
  },
  {
    name: "no field that fetch would add",
    ask: "GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n",
    answer: OK,
  },
  {
    name: "Accept-Encoding",
    ask: ask("GET /x", ["Accept-Encoding: zstd;q=1.0, x-unknown"]),
    answer: OK,
  },
  {
    name: "fields more than once",
    ask: ask("GET /x", [
      "X-A: 1",
      "X-B: 2",
      "X-A: 3",
      "x-a: 4",
      "Accept: text/plain",
      "Accept: */*",
    ]),
    answer: OK,
  },
  { name: "cookies in two fields", ask: ask("GET /x", ["Cookie: a=1", "Cookie: b=2"]), answer: OK },
  {
    name: "capitals and order of fields",
    ask: ask("GET /x", ["zulu: 1", "ALPHA: 2", "Mike: 3"]),
    answer: OK,
  },
  {
    name: "bytes above ASCII in a field",
    ask: ask("GET /x", ["X-Name: caf\u00e9 \u00c3\u00a9"]),
    answer: OK,
  },
  { name: "an empty field", ask: ask("GET /x", ["X-Empty:", "X-Space:    "]), answer: OK },
  {
    name: "Range",
    ask: ask("GET /x", ["Range: bytes=0-4", 'If-Range: "x"']),
    answer: answer("206 Partial Content", ["Content-Range: bytes 0-4/9"], "hello"),
  },
  {
    name: "Authorization and cookies",
    ask: ask("GET /x", ["Authorization: Basic eDp5", "Cookie: a=1; b=%00"]),
    answer: OK,
  },
  { name: "an empty query", ask: ask("GET /x?"), answer: OK },
  { name: "two slashes", ask: ask("GET //evil.example/x//"), answer: OK },
  { name: "escapes", ask: ask("GET /a%2fb%2Fc/%7eada/%41/%e4%BD%a0/%zz/%?q=%2f+%20%"), answer: OK },
  {
    name: "marks",
    ask: ask("GET /a;v=1/b,c;d/!$&'()*+=:@-._~?a[]=1&b={}|^`\""),
    answer: OK,
    workerd: 400,
  },
  { name: "marks in the path", ask: ask('GET /a[1]|{x}^`"'), answer: OK, workerd: 400 },
  {
    name: "a fragment",
    ask: ask("GET /a#b"),
    answer: OK,
    ...both({ asked: line("GET /a HTTP/1.1") }),
  },
  {
    name: "bytes above ASCII in the path",
    ask: ask("GET /caf\u00c3\u00a9"),
    answer: OK,
    node: 400,
    workerd: { asked: line("GET /caf%C3%A9 HTTP/1.1") },
  },
  {
    name: "a long address",
    ask: ask(`GET /${"x".repeat(7_000)}?${"y".repeat(5_000)}`),
    answer: OK,
  },
  { name: "a long field", ask: ask("GET /x", [`X-Long: ${"x".repeat(12_000)}`]), answer: OK },
  {
    name: "an absolute address",
    ask: "GET http://{host}/x?y HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
    answer: OK,
    ...both({ asked: line("GET /x?y HTTP/1.1") }),
  },
  { name: "OPTIONS *", ask: ask("OPTIONS *"), answer: OK, node: 400, workerd: 500 },
  { name: "HTTP/1.0", ask: "GET /x HTTP/1.0\r\nHost: {host}\r\n\r\n", answer: OK },
  {
    name: "Upgrade: h2c",
    ask: ask("GET /x", [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
    ]),
    answer: OK,
  },
  { name: "204", ask: ask("GET /x"), answer: 'HTTP/1.1 204 No Content\r\nETag: "x"\r\n\r\n' },
  { name: "205", ask: ask("POST /x", [], "x"), answer: answer("205 Reset Content") },
  {
    name: "304 with a length",
    ask: ask("GET /x"),
    answer: 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 1234\r\n\r\n',
    workerd: { answered: without("content-length") },
  },
  {
    name: "HEAD with the length of the body",
    ask: ask("HEAD /x"),
    answer: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1234\r\n\r\n",
  },
  {
    name: "HEAD without a length",
    ask: ask("HEAD /x"),
    answer: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
  },
  { name: "a body without a type", ask: ask("GET /x"), answer: answer("200 OK", [], "hello") },
  {
    name: "a body in chunks",
    ask: ask("GET /x"),
    answer: answerInChunks(["Content-Type: text/plain"]),
  },
  {
    name: "a body that ends with the connection",
    ask: ask("GET /x"),
    answer: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
  },
  { name: "a body of HTTP/1.0", ask: ask("GET /x"), answer: "HTTP/1.0 200 OK\r\n\r\nhello" },
  {
    name: "trailers of an answer",
    ask: ask("GET /x", ["TE: trailers"]),
    answer: answerInChunks(["Trailer: X-Sum"], ["X-Sum: 1", "x-sum: 2"]),
    workerd: { answered: NO_TRAILERS },
  },
  {
    name: "gzip",
    ask: ask("GET /x", ["Accept-Encoding: gzip"]),
    answer: answer("200 OK", ["Content-Encoding: gzip"], gzipped),
  },
  {
    name: "gzip that nobody asked for, in chunks",
    ask: ask("GET /x"),
    answer: `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n${gzipped.length.toString(16)}\r\n${gzipped}\r\n0\r\n\r\n`,
  },
  {
    name: "brotli",
    ask: ask("GET /x", ["Accept-Encoding: br"]),
    answer: answer("200 OK", ["Content-Encoding: br"], brotli),
  },
  {
    name: "an unknown coding",
    ask: ask("GET /x"),
    answer: answer("200 OK", ["Content-Encoding: x-unknown"], "hello"),
  },
  {
    name: "gzip that is none",
    ask: ask("GET /x"),
    answer: answer("200 OK", ["Content-Encoding: gzip"], "hello"),
  },
  {
    name: "cookies",
    ask: ask("GET /x"),
    answer: answer(
      "200 OK",
      [
        "Set-Cookie: a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
        "Set-Cookie: b=2",
        "set-cookie: a=3",
      ],
      "x",
    ),
  },
  {
    name: "fields of an answer more than once",
    ask: ask("GET /x"),
    answer: answer(
      "200 OK",
      [
        "X-A: 1",
        "X-B: 2",
        "x-a: 3",
        "Vary: Accept",
        "Vary: Origin",
        "Link: </a>; rel=preload",
        "Link: </b>; rel=preload",
      ],
      "x",
    ),
  },
  {
    name: "bytes above ASCII in a field of an answer",
    ask: ask("GET /x"),
    answer: answer(
      "200 OK",
      ["X-Name: caf\u00e9 \u00c3\u00a9", 'Content-Disposition: attachment; filename="\u00fc.txt"'],
      "x",
    ),
  },
  { name: "no Date", ask: ask("GET /x"), answer: answer("200 OK", [], "x") },
  {
    name: "a Date and a Server",
    ask: ask("GET /x"),
    answer: answer("200 OK", ["Date: Wed, 21 Oct 2026 07:28:00 GMT", "Server: own"], "x"),
  },
  {
    name: "a long field of an answer",
    ask: ask("GET /x"),
    answer: answer("200 OK", [`X-Long: ${"x".repeat(12_000)}`], "x"),
  },
  {
    name: "a reason of its own",
    ask: ask("GET /x"),
    answer: answer("418 Short and stout", [], "x"),
  },
  {
    name: "a reason outside ASCII",
    ask: ask("GET /x"),
    answer: answer("200 Tr\u00e8s bien \u00c3\u00a9", [], "x"),
    workerd: { answered: line("HTTP/1.1 200 ") },
  },
  { name: "no reason", ask: ask("GET /x"), answer: answer("200 ", [], "x") },
  {
    name: "a redirect to elsewhere",
    ask: ask("GET /x"),
    answer: answer("302 Found", ["Location: https://elsewhere.example/y?z#f"], "moved"),
  },
  {
    name: "401 with a challenge",
    ask: ask("GET /x"),
    answer: answer("401 Unauthorized", ['WWW-Authenticate: Basic realm="x"'], "x"),
  },
  { name: "407", ask: ask("GET /x"), answer: answer("407 Proxy Authentication Required", [], "x") },
  ...[201, 226, 299, 300, 399, 421, 451, 499, 503, 511, 599, 600, 700, 799, 999].map((status) => ({
    name: `status ${status}`,
    ask: ask("GET /x"),
    answer: answer(`${status} Own`, [], "x"),
    // No `Response` has such a status.
    workerd: status > 599 ? 502 : {},
  })),
  {
    name: "102 and 103 before the answer",
    ask: ask("GET /x"),
    answer: `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${OK}`,
    workerd: { answered: () => ({ interim: [] }) },
  },
  {
    name: "100 before the answer",
    ask: ask("POST /x", [], "x"),
    answer: `HTTP/1.1 100 Continue\r\n\r\n${OK}`,
  },
  {
    name: "a reason with a control character",
    ask: ask("GET /x"),
    answer: answer("200 a\x01b", [], "x"),
    node: { answered: line("HTTP/1.1 200 ab") },
    workerd: 502,
  },
  {
    name: "a status that is none",
    ask: ask("GET /x"),
    answer: "HTTP/1.1 099 Own\r\nContent-Length: 0\r\n\r\n",
    ...both(502),
  },
  {
    name: "a coding that the gateway would undo",
    ask: ask("GET /x"),
    answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    node: 502,
  },
];
