import type { IncomingMessage } from "node:http";

/** The bytes of a response's body; `undefined` as soon as they are more than this. The connection then ends. */
export async function readLimited(
  response: Response,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The body of a request and its size; `undefined` for a body of more bytes than this. It is read to the end all the same: a client
 * still writing would miss the answer.
 */
export async function readToEnd(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly size: number; readonly body: Buffer<ArrayBuffer> | undefined }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return { size, body: size <= maxBytes ? Buffer.concat(chunks) : undefined };
}
