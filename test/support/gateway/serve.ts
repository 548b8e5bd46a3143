import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/**
 * A fetch handler behind a Node server. As on every platform, the handler gets a Request, whose address was read by
 * URL: dots that stand as they are have gone, backslashes have become slashes.
 */
export function listenTo(
  handle: (request: Request) => Response | Promise<Response>,
): RequestListener {
  return (asked, response) => void answer(asked, response);

  async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: target = "/", rawHeaders } = asked;
    const fields = rawHeaders.flatMap((name, i) => (i % 2 ? [] : [[name, rawHeaders[i + 1]!]]));
    const body = await text(asked);
    let request: Request;
    try {
      request = new Request(`http://gateway.example${target}`, {
        method,
        headers: fields as [string, string][],
        ...(body !== "" && { body }),
      });
    } catch {
      response.writeHead(400).end("not a request");
      return;
    }
    const { status, headers, body: stream } = await handle(request);
    response.writeHead(status, Object.fromEntries(headers));
    for await (const chunk of stream ?? []) response.write(chunk);
    response.end();
  }
}
