import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { PLATFORMS } from "./platforms.ts";
import { dial, exchange, type Script } from "./wire.ts";

const GET = "GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n";
const POST = "POST /x HTTP/1.1\r\nHost: {host}\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

const warn = vi.spyOn(console, "warn");
beforeEach(() => void warn.mockReset().mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

/** A connection with a request of which the origin has got the beginning, and what it does then. */
interface Begun {
  readonly origin: Socket;
}

// Without a timeout nothing but the client's own end ends a request.
describe.each(["node", "workerd"] as const)(
  "a connection through the gateway on %s",
  (platform) => {
    const gateway = PLATFORMS[platform]({ ORIGIN_TIMEOUT: "off" });
    const begun = () => {
      const arrived = Promise.withResolvers<Begun>();
      gateway.origin.script = (_asked, socket) => {
        arrived.resolve({ origin: socket });
        return once(socket, "close");
      };
      return arrived.promise;
    };
    const script = (next: Script) => void (gateway.origin.script = next);
    const open = async (text: string) => {
      const { socket, reader } = await dial(gateway.url);
      socket.write(text.replace("{host}", "gateway.example"), "latin1");
      return { socket, reader };
    };

    beforeEach(async () => {
      for (const socket of gateway.origin.sockets) socket.destroy();
      // The gateway has to learn of it: it might use such a connection again.
      await sleep(50);
      gateway.origin.seen.length = 0;
    });

    test("is streamed both ways: each part arrives before the next is sent", async () => {
      const arrived = Promise.withResolvers<Socket>();
      gateway.origin.server.once("connection", arrived.resolve);
      const { socket, reader } = await open(
        `${POST}Transfer-Encoding: chunked\r\n\r\n4\r\nup 1\r\n`,
      );
      const origin = await arrived.promise;
      const seen = async (mark: string) => {
        for (let text = ""; !text.includes(mark);)
          text += (await once(origin, "data"))[0] as string;
      };
      await seen("up 1");
      origin.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndown 1\r\n");
      await reader.until("down 1");
      socket.write("4\r\nup 2\r\n");
      await seen("up 2");
      origin.write("6\r\ndown 2\r\n");
      await reader.until("down 2");
      socket.write("0\r\n\r\n");
      await seen("0\r\n\r\n");
      origin.write("0\r\n\r\n");
      expect(await reader.until("0\r\n\r\n")).toBeDefined();
      socket.destroy();
    });

    test.each([
      ["it has sent its request", GET],
      ["it sends its body", `${POST}Content-Length: 9\r\n\r\nhello`],
      ["it sends its body in chunks", `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ])("is closed to the origin when the client goes while %s", async (_what, text) => {
      // It does not answer: else the connection waits for another request, and is closed some seconds later.
      script((_asked, socket) => once(socket, "close"));
      const arrived = Promise.withResolvers<Socket>();
      gateway.origin.server.once("connection", arrived.resolve);
      const { socket } = await open(text);
      const origin = await arrived.promise;
      await once(origin, "data");
      const closed = once(origin, "close");
      // workerd goes on for a client that has closed its own side alone.
      if (platform === "workerd") socket.resetAndDestroy();
      else socket.destroy();
      await closed;
      expect(gateway.origin.sockets.size).toBe(0);
      // The origin is not to blame.
      expect(warn).not.toHaveBeenCalled();
    });

    test("is closed to the origin when the client goes while it is answered", async () => {
      const arrived = begun();
      const { socket, reader } = await open(GET);
      const { origin } = await arrived;
      origin.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
      await reader.until("first");
      const closed = once(origin, "close");
      socket.resetAndDestroy();
      await closed;
      expect(gateway.origin.sockets.size).toBe(0);
    });

    test.each([
      ["Content-Length: 9\r\n\r\nfirst", "end"],
      ["Content-Length: 9\r\n\r\nfirst", "reset"],
      ["Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n", "end"],
      ["Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n", "reset"],
      ["Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\nnonsense\r\n", "stay"],
    ])("breaks off to the client where the origin breaks off: %j, then %s", async (text, way) => {
      script(async (_asked, socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${text}`);
        await sleep(50);
        if (way === "end") socket.end();
        if (way === "reset") socket.resetAndDestroy();
        await once(socket, "close");
      });
      const answered = await exchange(gateway.url, GET);
      expect([answered.body, answered.isWhole]).toEqual(["first", false]);
    });

    test("gives an answer that comes before the body has been sent", async () => {
      script((_asked, socket) => void socket.write(OK));
      const arrived = Promise.withResolvers<Socket>();
      gateway.origin.server.once("connection", arrived.resolve);
      const { socket, reader } = await open(`${POST}Content-Length: 1000000\r\n\r\nhello`);
      const origin = await arrived.promise;
      await once(origin, "data");
      origin.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno");
      const answered = await reader.message("response");
      expect([answered.line, answered.body]).toEqual(["HTTP/1.1 413 Content Too Large", "no"]);
      socket.destroy();
      await expect.poll(() => gateway.origin.sockets.size).toBe(0);
    });

    test("answers requests that are sent at once, in their order", async () => {
      script(({ line }, socket) => {
        const [, path = ""] = line.split(" ");
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
      });
      const paths = ["/1", "/22", "/333", "/4444", "/55555"];
      const texts = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: {host}\r\n\r\n`);
      const { socket, reader } = await open(texts.join("").replaceAll("{host}", "gateway.example"));
      const bodies = [];
      for (const _ of paths) bodies.push((await reader.message("response")).body);
      expect(bodies).toEqual(paths);
      socket.destroy();
    });

    test("to the origin is used again", async () => {
      script((_asked, socket) => void socket.write(OK));
      let connections = 0;
      const count = () => void connections++;
      gateway.origin.server.on("connection", count);
      const bodies = [];
      const { socket, reader } = await open("");
      for (let i = 0; i < 5; i++) {
        socket.write(GET.replace("{host}", "gateway.example"));
        bodies.push((await reader.message("response")).body);
      }
      gateway.origin.server.off("connection", count);
      socket.destroy();
      expect([bodies.join(), connections]).toEqual(["ok,ok,ok,ok,ok", 1]);
    });

    test.each([
      ["two lengths", `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
      ["a length that is none", `${POST}Content-Length: +5\r\n\r\nhello`],
      [
        "a length and chunks",
        `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      ["a coding that is unknown", `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
      ["a coding that is not the last", `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
      ["a coding before the chunks", `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
      ["a size that is none", `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`],
      ["a space before a colon", `${POST}Content-Length : 5\r\n\r\nhello`],
      ["a field in two lines", `${POST}X-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n`],
      ["a name with a NUL", `${POST}X\0A: 1\r\nContent-Length: 0\r\n\r\n`],
      ["a value with a bare CR", `${POST}X-A: 1\rX-B: 2\r\nContent-Length: 0\r\n\r\n`],
    ])("is refused where it could be read as another one: %s", async (_what, text) => {
      script((_asked, socket) => void socket.write(OK));
      const { socket, reader } = await open(`${text}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`);
      const { line } = await reader.message("response");
      socket.destroy();
      expect(line).toMatch(
        platform === "node" ? /^HTTP\/1\.1 (?:4\d\d|501) / : /^HTTP\/1\.1 (?:200|4\d\d|50[12]) /,
      );
      // One that the gateway has not decided would come without what it adds to each.
      for (const { fields } of gateway.origin.seen.filter(({ isWhole }) => isWhole)) {
        expect(fields.map(([name]) => name.toLowerCase())).toContain("x-forwarded-proto");
      }
    });

    test("keeps the length of a body that Connection names", async () => {
      script((_asked, socket) => void socket.write(OK));
      const text = `${POST}Connection: close, Content-Length\r\nContent-Length: 28\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n  `;
      expect((await exchange(gateway.url, text)).line).toBe("HTTP/1.1 200 OK");
      expect(gateway.origin.seen.map(({ line, body }) => [line, body.length])).toEqual([
        ["POST /x HTTP/1.1", 28],
      ]);
    });
  },
);
