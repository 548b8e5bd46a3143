import type { Backend, RedisCommand, Reply } from "./backend.ts";
import { encodeReply } from "./encode.ts";
import type { JsonValue } from "./encode.ts";
import { BridgeError, messageOf } from "./errors.ts";
import type { Ask } from "./protocol.ts";
import { refuseStateful } from "./refused-commands.ts";

type Envelope = { result: JsonValue } | { error: string };

/** Runs what one HTTP request asks for. An error of the request as a whole is thrown. */
export async function execute(
  ask: Ask,
  backend: Backend,
  base64: boolean,
): Promise<Envelope | Envelope[]> {
  const envelope = (reply: Reply): Envelope =>
    reply instanceof Error ? { error: reply.message } : { result: encodeReply(reply, base64) };

  switch (ask.kind) {
    case "command":
      return envelope(await run(ask.command, backend));
    case "transaction":
      for (const command of ask.commands) refuseStateful(command);
      return (await backend.transaction(ask.commands)).map(envelope);
    case "pipeline": {
      // Sent together: on one connection Redis takes them in this order.
      const replies = await Promise.allSettled(ask.commands.map((c) => run(c, backend)));
      const outage = replies.every(isOutage) ? replies[0] : undefined;
      if (outage?.status === "rejected") throw outage.reason;
      return replies.map((reply) =>
        reply.status === "fulfilled" ? envelope(reply.value) : { error: messageOf(reply.reason) },
      );
    }
    default:
      return ask satisfies never;
  }
}

async function run(command: RedisCommand, backend: Backend): Promise<Reply> {
  refuseStateful(command);
  return backend.send(command);
}

function isOutage(reply: PromiseSettledResult<Reply>): boolean {
  return (
    reply.status === "rejected" &&
    reply.reason instanceof BridgeError &&
    reply.reason.status === 503
  );
}
