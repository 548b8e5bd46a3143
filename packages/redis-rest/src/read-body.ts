import type { IncomingMessage } from "node:http";

import { BridgeError } from "./errors.ts";
import { type HeldMemory, requireRoom } from "./request-memory.ts";

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Reads a body to its end. One that is refused is not kept, and read all the same: a client that is still writing would miss
 * the answer.
 *
 * @throws BridgeError 413 for one that is too long, 503 for one that the memory has no room for
 */
export async function readBody(request: IncomingMessage, memory: HeldMemory): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isKept = true;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    isKept &&= bytes <= MAX_BYTES && memory.grow(chunk.length);
    if (isKept) {
      chunks.push(chunk);
    } else {
      chunks.length = 0;
      memory.free();
    }
  }
  if (bytes > MAX_BYTES) {
    throw new BridgeError(
      413,
      `ERR max request size exceeded. Limit: ${MAX_BYTES} bytes, Actual: ${bytes} bytes`,
    );
  }
  requireRoom(isKept);
  return Buffer.concat(chunks);
}
