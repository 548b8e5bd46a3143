import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** Far above what an answer may have, and above what the buffers of a connection take. */
const MANY = 48 * 1024 * 1024;

const ANSWER = '{"result":[1,9]}';
const padded = (bytes: number) => ANSWER.padEnd(bytes);

/** What stands at an address where a Redis is expected. */
export interface StrangeRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Answers as no Redis does: `/redirect/307` leads to a server that would answer, and `/taken` says what that one got; `/endless`,
 * `/declared` and `/packed` are too long; `/exact` is as long as an answer may be.
 */
export async function startStrangeRedis(): Promise<StrangeRedis> {
  const taken: string[] = [];
  const other = createServer((request, response) => {
    taken.push(`${request.method} ${request.headers.authorization}`);
    request.resume();
    response.end(ANSWER);
  });
  let written = 0;
  let packed: Buffer | undefined;
  const server = createServer((request, response) => {
    request.resume();
    const [, path = "", status] = request.url!.split("/");
    const json = { "content-type": "application/json" };
    switch (path) {
      case "redirect":
        response.writeHead(Number(status), { location: urlOf(other) }).end(padded(100));
        break;
      case "taken":
        response.end(JSON.stringify({ result: { taken: taken.splice(0), written } }));
        break;
      case "exact":
        response.writeHead(200, { ...json, ...(status && { "content-length": 1_048_576 }) });
        response.end(padded(1_048_576));
        break;
      case "packed":
        packed ??= gzipSync(padded(MANY));
        response.writeHead(200, {
          ...json,
          "content-encoding": "gzip",
          // Short, and not the length of what comes out of it.
          "content-length": packed.length,
        });
        response.end(packed);
        break;
      default: {
        response.writeHead(200, {
          ...json,
          ...(path === "declared" && { "content-length": MANY }),
        });
        const chunk = Buffer.from(padded(65_536));
        written = 0;
        const write = () => {
          while (!response.destroyed && written < MANY) {
            written += chunk.length;
            if (!response.write(chunk)) return void response.once("drain", write);
          }
          response.end();
        };
        write();
      }
    }
  });
  await Promise.all([server, other].map((each) => once(each.listen(0, "127.0.0.1"), "listening")));
  return {
    url: urlOf(server),
    async stop() {
      for (const each of [server, other]) {
        each.closeAllConnections();
        each.close();
      }
    },
  };
}

function urlOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
