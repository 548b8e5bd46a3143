/** The bytes of a body; `undefined` as soon as they are more than this. The rest is then not read. */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    length += value!.byteLength;
    if (length > maxBytes) {
      // A body that fails while it is given up is given up all the same.
      await reader!.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(value!);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
