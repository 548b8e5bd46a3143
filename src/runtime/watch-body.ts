/** A watcher of a body while it is sent. */
export interface BodyWatcher {
  /** Called with each chunk before it is passed on. An error that it throws fails the body, and cancels its source. */
  readonly chunk?: (bytes: Uint8Array) => void;
  /**
   * Called once, when the body has ended, was cancelled by its reader, or failed; at once if there is none. `isWhole` says
   * whether all of it was read.
   */
  readonly end: (isWhole: boolean) => void;
}

/**
 * Watches a response's body without changing a byte: each chunk is passed on at once, no chunk is read ahead of the
 * client, and a client that hangs up cancels the source. Use the returned response instead of the given one, whose body
 * it takes over. A body that is never read has no end.
 *
 * Workers decode an encoded body (`Content-Encoding: gzip`) to show its chunks, and encode it again.
 *
 * A response that switches protocols (101) carries a socket and no body: it is returned as it is, and has ended.
 *
 * @throws TypeError if the body is already being read
 * @example
 * return watchBody(await fetch(request), { end: () => console.log("sent") });
 */
export function watchBody(response: Response, { chunk, end }: BodyWatcher): Response {
  if (response.body === null || response.status === 101) {
    end(true);
    return response;
  }
  const reader = response.body.getReader();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let next: ReadableStreamReadResult<Uint8Array>;
        try {
          next = await reader.read();
          // The client may have cancelled while this waited.
          if (isCancelled) return;
          // A check of its class would fail on the Edge runtime, where chunks may come from another realm.
          if (chunk && ArrayBuffer.isView(next.value)) chunk(next.value);
        } catch (error) {
          if (!isCancelled) end(false);
          // After an error of the watcher, nothing else ends the source.
          reader.cancel(error).catch(() => {});
          throw error;
        }
        if (next.done) {
          controller.close();
          end(true);
        } else {
          controller.enqueue(next.value);
        }
      },

      cancel(reason) {
        isCancelled = true;
        // Not earlier: an inner watcher, such as a handler's own, goes first.
        return reader.cancel(reason).finally(() => end(false));
      },
    },
    // Reads only on the client's demand.
    { highWaterMark: 0 },
  );
  return new Response(withLength(body, response.headers), response);
}

/** A stream that Workers have: they send any other one without the length that the response tells. */
type FixedLength = new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>;

function withLength(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
): ReadableStream<Uint8Array> {
  const { FixedLengthStream } = globalThis as { FixedLengthStream?: FixedLength };
  const length = headers.get("Content-Length");
  // The length of an encoded body is not that of the chunks, which the platform has decoded.
  const isKnown = length !== null && /^\d{1,15}$/.test(length) && !headers.has("Content-Encoding");
  if (!FixedLengthStream || !isKnown) return body;
  return body.pipeThrough(new FixedLengthStream(Number(length)));
}
