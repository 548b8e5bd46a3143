import type { BackendReply } from "./backend.ts";
import { BridgeError } from "./errors.ts";

/**
 * JSON text of a reply. Upstash leaves a bare OK readable under base64, and clients rely on it;
 * inside an array it is encoded like any other string, because there they decode it.
 */
export function encodeReply(reply: BackendReply, base64: boolean): string {
  return base64 && Buffer.isBuffer(reply) && reply.equals(ok) ? '"OK"' : encode(reply, base64, 0);
}

const ok = Buffer.from("OK");

/** A script may nest tables as deep as its memory allows. No command of Redis nests more than a few. */
const MAX_DEPTH = 100;

function encode(reply: BackendReply, base64: boolean, depth: number): string {
  if (depth > MAX_DEPTH)
    throw new BridgeError(400, `ERR the reply is nested deeper than ${MAX_DEPTH}`);
  if (reply === null || typeof reply === "number") return JSON.stringify(reply);
  // An integer as Redis wrote it: JSON has no limit at 2^53.
  if (typeof reply === "string") return reply;
  if (Array.isArray(reply))
    return `[${reply.map((item) => encode(item, base64, depth + 1)).join(",")}]`;
  const bytes = Buffer.isBuffer(reply) ? reply : Buffer.from(reply.message);
  if (!base64) requireShort(bytes);
  return JSON.stringify(bytes.toString(base64 ? "base64" : "utf8"));
}

/** The longest string in JSON, in which a control character takes six: building a longer one ends a process of 128 MB. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

function requireShort(bytes: Buffer): void {
  if (bytes.length * 6 <= MAX_CHARACTERS) return;
  let characters = 0;
  for (const byte of bytes) characters += byte < 0x20 ? 6 : 1;
  if (characters <= MAX_CHARACTERS) return;
  throw new BridgeError(
    400,
    `ERR the reply has more than ${MAX_CHARACTERS} characters as JSON. Ask with Upstash-Encoding: base64, or read it in parts, as with GETRANGE`,
  );
}
