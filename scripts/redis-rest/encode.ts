import type { Reply } from "./backend.ts";

export type JsonValue = string | number | null | JsonValue[];

/**
 * Upstash leaves a bare OK readable under base64, and clients rely on it; inside an array it
 * is encoded like any other string, because there they decode it.
 */
export function encodeReply(reply: Reply, base64: boolean): JsonValue {
  return base64 && String(reply) === "OK" && !Array.isArray(reply) ? "OK" : encode(reply, base64);
}

function encode(reply: Reply, base64: boolean): JsonValue {
  if (reply === null || typeof reply === "number") return reply;
  if (Array.isArray(reply)) return reply.map((item) => encode(item, base64));
  const bytes = Buffer.isBuffer(reply)
    ? reply
    : Buffer.from(reply instanceof Error ? reply.message : reply);
  return bytes.toString(base64 ? "base64" : "utf8");
}
