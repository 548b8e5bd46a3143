import { connect } from "node:net";

/** How long a server may take over something that is no request, before it counts as hung. */
const patience = 5_000;

/**
 * The whole answer of a server to these bytes until it closes; it is not normalised on the way.
 *
 * @param ends whether the client has nothing more to say: without, the bytes have to be a request that ends by itself
 */
export function exchange(
  url: string,
  bytes: Uint8Array | string,
  { ends = false } = {},
): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(patience, () => {
      socket.destroy(new Error(`neither answered nor closed within ${patience} ms`));
    });
    socket.on("data", (chunk) => chunks.push(chunk));
    // A server that has read enough may reset the connection while bytes are still on their way.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(Buffer.concat(chunks));
      else reject(error);
    });
    socket.on("close", () => resolve(Buffer.concat(chunks)));
    socket.write(bytes);
    if (ends) socket.end();
  });
}
