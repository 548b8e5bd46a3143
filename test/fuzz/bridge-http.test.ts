import fc from "fast-check";
import { expect } from "vitest";

import { useBridge } from "./bridge-under-test.ts";
import { fuzz } from "./fuzz.ts";
import { hostileText } from "./hostile.ts";
import { exchange } from "./raw-http.ts";

const bridge = useBridge();

const PIECES = "/ // echo get set rpush k pipeline multi-exec %2f %00 % %zz %ff .. . ?EX=1 ? & = +";

const target = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES.split(" "), "?_token=x"),
      fc.nat().map((index) => bridge.shapes[index % bridge.shapes.length]!.words.join("/")),
      // Of a request line, nothing that would end the target.
      hostileText.map((text) => text.replaceAll(/[\0-\x20\x7f-\uffff]/g, "").slice(0, 4_096)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `/${parts.join("")}`);

const RIGHT = "Bearer t";
const WRONG = ["Bearer", "Bearer t t", "Bearer tt", "Basic t", "t", ""];
const RESPONSE = /^HTTP\/1\.1 ([1-5]\d\d) [^]*?\r\n\r\n([^]*)$/;

fuzz("any path, method and encoding is answered", 500, () =>
  fc.asyncProperty(
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"),
    target,
    fc.constantFrom("base64", "BASE64", "gzip", ""),
    fc.oneof({ weight: 5, arbitrary: fc.constant(RIGHT) }, fc.constantFrom(...WRONG)),
    async (method, path, encoding, authorization) => {
      const fields = [
        "Host: 127.0.0.1",
        "Connection: close",
        `Upstash-Encoding: ${encoding}`,
        `Authorization: ${authorization}`,
      ];
      const request = `${method} ${path} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`;
      const text = String(await exchange(bridge.url, request));
      const [, status, body = ""] = RESPONSE.exec(text) ?? [];
      if (method === "HEAD") {
        expect([Number(status) >= 200, body]).toEqual([true, ""]);
        return;
      }
      const answer = { status: Number(status), body: JSON.parse(body) as unknown };
      await bridge.expectProper(answer, authorization === RIGHT ? [200, 400, 404, 405] : [401]);
    },
  ),
);

const noise = fc.oneof(
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  hostileText.map((text) => Buffer.from(text)),
);

fuzz("what is no request is refused or dropped", 300, () =>
  fc.asyncProperty(noise, noise, fc.boolean(), async (bytes, more, framed) => {
    const start = framed ? "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer t\r\n" : "";
    const sent = Buffer.concat([Buffer.from(start), bytes, more]);
    const text = String(await exchange(bridge.url, sent, { ends: true }));
    if (text !== "") expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    await bridge.expectProper(await bridge.ask({ body: '["PING"]' }));
  }),
);
