import type { RequireAllowed } from "./allowed-commands.ts";
import type { Backend, BackendReply, RedisCommand } from "./backend.ts";
import { BridgeError, messageOf } from "./errors.ts";
import type { Ask } from "./protocol.ts";

/** Runs the commands of one HTTP request, to the JSON text of its answer. Throws an error that fails it as a whole. */
export async function execute(
  ask: Ask,
  requireAllowed: RequireAllowed,
  backend: Backend,
  base64: boolean,
): Promise<string> {
  const run = async (command: RedisCommand): Promise<BackendReply> => {
    requireAllowed(command);
    return backend.send(command);
  };
  const envelope = (reply: BackendReply) =>
    reply instanceof Error ? failure(reply) : `{"result":${encodeReply(reply, base64)}}`;

  switch (ask.kind) {
    case "command":
      return envelope(await run(ask.command));
    case "transaction":
      for (const command of ask.commands) requireAllowed(command);
      return list((await backend.transaction(ask.commands)).map(envelope));
    case "pipeline": {
      // Sent together: on one connection Redis takes them in this order. As text a reply takes a tenth of the memory.
      const fit = answerBound();
      const replies = await Promise.allSettled(
        ask.commands.map(async (command) => fit(envelope(await run(command)))),
      );
      const outage = replies.every(isOutage) ? replies[0] : undefined;
      if (outage?.status === "rejected") throw outage.reason;
      return list(
        replies.map((reply) =>
          reply.status === "fulfilled" ? reply.value : failure(reply.reason),
        ),
      );
    }
    default:
      return ask satisfies never;
  }
}

export function failure(error: unknown): string {
  return JSON.stringify({ error: messageOf(error) });
}

function list(envelopes: string[]): string {
  return `[${envelopes.join(",")}]`;
}

/** The longest answer to one pipeline: all of its parts are held until the last of them is there. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** @returns a function that passes texts through, and throws a BridgeError for one that does not fit beside those before */
function answerBound(): (text: string) => string {
  let characters = 0;
  return (text) => {
    if (characters + text.length > MAX_CHARACTERS) {
      throw new BridgeError(
        400,
        `ERR the replies to one pipeline have more than ${MAX_CHARACTERS} characters. The command has run, and its reply is dropped`,
      );
    }
    characters += text.length;
    return text;
  };
}

function isOutage(reply: PromiseSettledResult<string>): boolean {
  return (
    reply.status === "rejected" &&
    reply.reason instanceof BridgeError &&
    reply.reason.status === 503
  );
}

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
const MAX_STRING = 32 * 1024 * 1024;

function requireShort(bytes: Buffer): void {
  if (bytes.length * 6 <= MAX_STRING) return;
  let characters = 0;
  for (const byte of bytes) characters += byte < 0x20 ? 6 : 1;
  if (characters <= MAX_STRING) return;
  throw new BridgeError(
    400,
    `ERR the reply has more than ${MAX_STRING} characters as JSON. Ask with Upstash-Encoding: base64, or read it in parts, as with GETRANGE`,
  );
}
