import type { Reply } from "./backend.ts";

/**
 * JSON text of a reply. Upstash leaves a bare OK readable under base64, and clients rely on it;
 * inside an array it is encoded like any other string, because there they decode it.
 */
export function encodeReply(reply: Reply, base64: boolean): string {
  return base64 && Buffer.isBuffer(reply) && reply.equals(ok) ? '"OK"' : encode(reply, base64);
}

const ok = Buffer.from("OK");

function encode(reply: Reply, base64: boolean): string {
  if (reply === null || typeof reply === "number") return JSON.stringify(reply);
  // An integer as Redis wrote it: JSON has no limit at 2^53.
  if (typeof reply === "string") return reply;
  if (Array.isArray(reply)) return `[${reply.map((item) => encode(item, base64)).join(",")}]`;
  const bytes = Buffer.isBuffer(reply) ? reply : Buffer.from(reply.message);
  return JSON.stringify(bytes.toString(base64 ? "base64" : "utf8"));
}
