import type { ClientRequest, IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";

import type { Incoming } from "./bindings.ts";
import { type Field, fieldsOf } from "./raw-fields.ts";

/** The body of a client's request. */
export interface Body {
  /** Its length as the client tells it; `undefined` where it does not, or where there is no body. */
  readonly length: string | undefined;
  readonly isChunked: boolean;
  /** Sends it. */
  sendTo(request: ClientRequest): void;
}

/** Methods whose requests have a body by their meaning, so that one without it says that it is empty. */
const WITH_BODY: ReadonlySet<string> = new Set(["PATCH", "POST", "PUT"]);

/**
 * The field that says where a body ends; `undefined` if there is none and nothing has to say so. Node sends a body without the
 * field as if it began the next request.
 */
export function framingOf({ length, isChunked }: Body, method: string): Field | undefined {
  if (length !== undefined) return ["Content-Length", length];
  if (isChunked) return ["Transfer-Encoding", "chunked"];
  return WITH_BODY.has(method) ? ["Content-Length", "0"] : undefined;
}

/**
 * The body of a server's own request.
 *
 * @param passes whether the origin gets a field that comes after the body
 */
export function bodyOf(incoming: Incoming, passes: (name: string) => boolean): Body {
  const { headers } = incoming;
  // An origin may take what comes after the body for fields of the request, which the rules have not seen.
  const isTrailer = (name: string) =>
    passes(name) && !/^(?:content-|authorization$|cookie$)/.test(name);
  // Of HTTP/2, which has no transfer codings.
  const hasStream = "stream" in incoming && !incoming.stream.endAfterHeaders;
  // The platform of a function may have read the body before.
  const { rawBody } = incoming as { rawBody?: unknown };
  return {
    length: headers["content-length"],
    isChunked: headers["transfer-encoding"] !== undefined || hasStream,
    sendTo(request) {
      if (rawBody instanceof Uint8Array) return void request.end(rawBody);
      if (incoming.readableEnded) return void request.destroy(new Error("the body was read"));
      incoming.pipe(request, { end: false });
      incoming.once("end", () => {
        const { rawTrailers } = incoming as IncomingMessage;
        const trailers = fieldsOf(rawTrailers).filter(([name]) => isTrailer(name.toLowerCase()));
        if (trailers.length > 0) request.addTrailers(trailers as [string, string][]);
        request.end();
      });
      if (incoming.complete) return;
      // The origin may answer or refuse before the body begins.
      request.flushHeaders();
      stopWithClient(incoming, request);
    },
  };
}

/** Sends no more of a body when the client has gone, which it may after it was answered; reads no more into a closed connection. */
function stopWithClient(incoming: Incoming, request: ClientRequest): void {
  const { socket } = incoming;
  const stop = () => {
    if (!incoming.complete) request.destroy();
  };
  const release = () => socket.off("close", stop);
  incoming.once("close", stop);
  socket.once("close", stop);
  incoming.once("end", release);
  request.once("close", () => {
    release();
    // The server drops the rest, as it does of a body that nobody reads.
    incoming.resume();
  });
}

/** The body of a request that is no server's own. */
export function bodyOfRequest({ body, headers }: Request): Body {
  const told = headers.get("content-length") ?? undefined;
  const length = body === null && Number(told) > 0 ? undefined : told;
  return {
    length,
    isChunked: body !== null && length === undefined,
    sendTo(request) {
      if (body === null) return void request.end();
      // It ends each with the other, so that the origin takes no body that breaks off for a whole one.
      pipeline(Readable.from(bounded(body, Number(length ?? Infinity))), request, () => {});
    },
  };
}

/** A body that fails where it has not the told length: what follows on the connection would be read as another request. */
async function* bounded(
  body: ReadableStream<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left < 0 || (left > 0 && left < Infinity)) throw new Error("the body has another length");
}
