/**
 * The bytes of a body; `undefined` if they are more than this. The rest is then not read.
 *
 * @param skipped how many bytes more are read, and not kept: a client that is still writing would miss its answer, and its
 * connection would end
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  skipped = 0,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    length += value!.byteLength;
    if (length <= maxBytes) {
      chunks.push(value!);
      continue;
    }
    chunks.length = 0;
    if (length <= maxBytes + skipped) continue;
    // A body that fails while it is given up is given up all the same.
    await reader!.cancel().catch(() => {});
    break;
  }
  if (length > maxBytes) return undefined;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
