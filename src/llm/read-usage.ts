import { reportOnce } from "../runtime/log.ts";
import { watchBody } from "../runtime/watch-body.ts";
import { readEvents } from "./event-stream.ts";
import { createUsageScanner } from "./usage-scanner.ts";
import { createTokenTally, type TokenTally, type Usage } from "./usage.ts";

/**
 * Reads how many tokens a response of OpenAI or Anthropic took, from its JSON or its event stream, while the client
 * receives it. The returned response has the same status, header fields and bytes; each chunk is passed on at once, and
 * no chunk is read ahead of the client. Use it instead of the given one, whose body it takes over.
 *
 * OpenAI's chat completions tell the usage of a stream only if the request has
 * `stream_options: { include_usage: true }`.
 *
 * @param onUsage Called once, when the body has ended, was cancelled by the client, or failed; at once if there is no
 * body. Its argument is `undefined` if the body told no usage: it is no JSON and no event stream, is still compressed,
 * or broke off too early. An error that it throws is logged, and has no other effect.
 * @throws TypeError if the body is already being read
 * @example
 * const answer = await fetch("https://api.openai.com/v1/responses", request);
 * return readUsage(answer, (usage) => console.log(usage?.totalTokens));
 */
export function readUsage(
  response: Response,
  onUsage: (usage: Usage | undefined) => void | Promise<void>,
): Response {
  const tally = createTokenTally();

  async function tell(): Promise<void> {
    try {
      await onUsage(tally.usage());
    } catch (error) {
      reportOnce(`onUsage failed: ${String(error)}`);
    }
  }

  return watchBody(response, {
    chunk: chunkReader(response.headers.get("Content-Type"), tally),
    end: () => void tell(),
  });
}

/**
 * The field `Content-Encoding` is no help: after fetch() it names what the platform has already decoded. Bytes that are
 * still encoded are no JSON object, and no line of an event.
 */
function chunkReader(contentType: string | null, tally: TokenTally): (chunk: Uint8Array) => void {
  const type = contentType?.split(";", 1)[0]!.trim().toLowerCase() ?? "";
  const scanner = createUsageScanner(tally);
  if (type === "text/event-stream") return readEvents(scanner);
  if (/^application\/(?:[^/]+\+)?json$/.test(type)) {
    return (chunk) => scanner.scan(chunk, 0, chunk.length);
  }
  return () => {};
}
