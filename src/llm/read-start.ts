/** A body of which the start has been read, and a body to send instead. */
export interface StartOfBody {
  /** The whole body; `undefined` if it is longer than was to be read. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Every byte of it, also those that were read. */
  readonly body: BodyInit | null;
}

/** Reads a request's body as long as it has at most so many bytes. It keeps no more than these and the chunk that exceeds them. */
export async function readStart({ body }: Request, maxBytes: number): Promise<StartOfBody> {
  if (body === null) return { bytes: new Uint8Array(), body: null };
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.byteLength;
    if (size > maxBytes) return { bytes: undefined, body: followedBy(chunks, reader) };
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return { bytes, body: bytes };
}

/** The chunks that were read, and then the rest, which is read as slowly as it is taken. */
function followedBy(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = chunks[next++];
        if (chunk) return controller.enqueue(chunk);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
