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

/** Methods for which Node sends no body if no field announces one. For all others it would send an empty one, in chunks. */
const BODILESS: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS"]);

/**
 * The field that says where a body ends; `undefined` if there is none and nothing has to say so. Node sends a body without the
 * field as if it began the next request.
 */
export function framingOf({ length, isChunked }: Body, method: string): Field | undefined {
  if (length !== undefined) return ["Content-Length", length];
  if (isChunked) return ["Transfer-Encoding", "chunked"];
  return BODILESS.has(method) ? undefined : ["Content-Length", "0"];
}

/**
 * The body of a server's own request.
 *
 * @param isTrailer whether the origin gets a field that comes after the body
 */
export function bodyOf(incoming: Incoming, isTrailer: (name: string) => boolean): Body {
  const { headers } = incoming;
  // HTTP/2 has no transfer codings: its stream says whether a body follows.
  const hasStream = "stream" in incoming && !incoming.stream.endAfterHeaders;
  // The platform of a function may have read the body before.
  const { rawBody } = incoming as { rawBody?: unknown };
  const length = headers["content-length"];
  const isChunked = headers["transfer-encoding"] !== undefined || hasStream;
  return {
    length,
    isChunked,
    sendTo(request) {
      const hasLength = length !== undefined || isChunked;
      if (rawBody instanceof Uint8Array && (hasLength || rawBody.length === 0)) {
        return void request.end(rawBody);
      }
      if (!hasLength) return sendWithoutBody(incoming, request);
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

/**
 * Sends a request of which no field tells of a body. It may have one all the same: of very many fields, versions of Node drop the last
 * ones. The origin would take such a body for the next request, so that nothing is sent then.
 */
function sendWithoutBody(incoming: Incoming, request: ClientRequest): void {
  incoming.once("data", () => request.destroy(new Error("the body has no length")));
  incoming.once("end", () => request.end());
  if (incoming.readableEnded) request.end();
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
