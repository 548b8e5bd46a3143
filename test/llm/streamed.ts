import { readUsage } from "../../src/llm/read-usage.ts";
import type { Usage } from "../../src/llm/usage.ts";

/** A response whose body arrives in these chunks, one for each read. */
export function streamed(
  chunks: readonly Uint8Array[],
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (next === chunks.length) controller.close();
        else controller.enqueue(chunks[next++]!);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...headers, "Content-Type": type } });
}

export const bytesOf = (body: string | Uint8Array<ArrayBuffer>) =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

/** The bytes cut before each of these positions, which ascend. */
export function cut(bytes: Uint8Array, positions: readonly number[]): readonly Uint8Array[] {
  return [0, ...positions].map((from, i) => bytes.subarray(from, positions[i] ?? bytes.length));
}

/** The positions that cut bytes into single ones. */
export const everywhere = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);

/** The arguments of the callback, and the bytes that passed. */
export async function readThrough(
  response: Response,
): Promise<{ readonly told: readonly (Usage | undefined)[]; readonly bytes: Uint8Array }> {
  const told: (Usage | undefined)[] = [];
  const read = readUsage(response, (usage) => void told.push(usage));
  const bytes = new Uint8Array(await read.arrayBuffer());
  return { told, bytes };
}
