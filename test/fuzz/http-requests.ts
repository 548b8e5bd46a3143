import fc from "fast-check";

import { hostileText } from "./hostile.ts";

export type Fields = Readonly<Record<string, string | undefined>>;

/** A request in bytes, as a client may write it that no library keeps from anything. */
export function request(method: string, target: string, fields: Fields): Buffer {
  const all = Object.entries({ Host: "edge.example", Connection: "close", ...fields });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

const METHODS = "GET HEAD POST PUT DELETE PATCH OPTIONS TRACE PROPFIND get FOO GÉT";
export const method = fc.constantFrom(...METHODS.split(" "));

const PATHS = "/limited /few limited few / _tidegate health";
const ESCAPES =
  "%2f %2F %5c %2e .. . ; ;a=b %00 % %f %zz %ff %C3%A9 %252f // \\ ? # ?a=% : @ %6cimited";

/** Text that may stand in a request line: any characters but those that would end it. */
export const target = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PATHS.split(" ")) },
      fc.constantFrom(...ESCAPES.split(" ")),
      hostileText.map((text) => text.replaceAll(/[\0-\x20\x7f-\uffff]/g, "")),
    ),
    { maxLength: 5 },
  )
  .map((parts) => `/${parts.join("")}`);

const VALUES = "a A {a} a:b }:limited tg:{a}:limited no-identity ip:192.0.2.1";
const ADDRESSES = "192.0.2.1 192.0.2.1:80 2001:db8::1 [2001:db8::2]:443 ::ffff:192.0.2.1 1.2.3 ::";

/** UTF-8: workerd reads any other bytes as U+FFFD, so that the worker could not tell them apart. */
const value = fc.oneof(
  hostileText.map((text) => text.toWellFormed().replaceAll(/[\0\r\n]/g, "")),
  fc.constantFrom("", " ", "a ", ...VALUES.split(" ")),
  fc.constantFrom(...ADDRESSES.split(" ")),
);

/** The fields by which a worker may identify the client, and one by which it may not. */
export const identityFields: fc.Arbitrary<Fields> = fc.record(
  { "x-api-key": value, "x-user-id": value, "cf-connecting-ip": value, "x-forwarded-for": value },
  { requiredKeys: [] },
);

/** Parts of requests, one per line. */
const PARTS = `GET
POST /limited
 HTTP/1.1
HTTP/1.0
Host: x
Host: [::
x-api-key: a
x-api-key:
: a
Content-Length: 3
Content-Length: -1
Content-Length: 99999999999999999999
Transfer-Encoding: chunked
Transfer-Encoding: gzip, chunked
ffffffffff
Connection: close
Connection: Upgrade, x-api-key
Upgrade: websocket
Expect: 100-continue
PRI * HTTP/2.0`.split("\n");

const ENDS = ["\r\n", "\r\n", "\r\n\r\n", "\n", "\r", "\t", " ", "\0", "0", "abc"];

const noise = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...PARTS, ...ENDS).map((text) => Buffer.from(text)),
    ),
    { maxLength: 16 },
  )
  .map((parts) => Buffer.concat(parts));

const sound = Buffer.concat([
  request("POST", "/limited", { "x-api-key": "a", "Content-Length": "3" }),
  Buffer.from("abc"),
]);

/** Bytes that are hardly ever a request: noise alone, or amid a sound one. */
export const malformed = fc.oneof(
  noise,
  fc
    .tuple(noise, fc.nat(sound.length))
    .map(([bytes, at]) => Buffer.concat([sound.subarray(0, at), bytes, sound.subarray(at)])),
);
