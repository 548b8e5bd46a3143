import type { ClientRequest, ServerResponse } from "node:http";

import { appendFieldsTo } from "../../../decide/present.ts";
import type { Forwarded } from "../origin.ts";
import { type Answer, answerFields, reasonOf } from "./answer.ts";
import type { Outgoing } from "./bindings.ts";
import { http2Fields, http2Trailers } from "./http2-fields.ts";
import { type Field, fieldsOf } from "./raw-fields.ts";

/** Stands for a request that is answered: its client was there when the origin answered. */
export const PRESENT = { signal: { aborted: false } };

/** Whether the server's response can have a status: those of HTTP/2 end at 599. */
export function hasRoomFor(status: number, outgoing: Outgoing): boolean {
  return status <= 599 || !("stream" in outgoing);
}

/** Sends an answer with the fields of its decision. Resolves when that has ended, or when the client has gone. */
export function send(
  answer: Answer,
  request: ClientRequest,
  outgoing: Outgoing,
  { decided, permission }: Pick<Forwarded, "decided" | "permission">,
): Promise<void> {
  const { message } = answer;
  const status = message.statusCode!;
  const fields = answerFields(answer);
  if (decided) {
    appendFieldsTo(fields, decided.decision);
    permission?.(fields);
  }
  writeHead(outgoing, status, reasonOf(message), fields.list);
  message.pipe(outgoing as ServerResponse, { end: false });
  message.once("end", () => {
    const trailers = fieldsOf(message.rawTrailers);
    if ("stream" in outgoing) outgoing.addTrailers(http2Trailers(trailers));
    else if (trailers.length > 0) outgoing.addTrailers(trailers as [string, string][]);
    outgoing.end();
  });
  message.once("error", () => breakOff(outgoing, fields.has("content-length")));
  return new Promise((resolve) => {
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) request.destroy();
      decided?.settlement?.now(status, PRESENT);
      resolve();
    });
  });
}

/** Closes the connection on a body that breaks off, so that it does not look like a whole one. */
function breakOff(outgoing: Outgoing, hasLength: boolean): void {
  if ("stream" in outgoing || outgoing.chunkedEncoding || hasLength) {
    outgoing.destroy();
    return;
  }
  // To a client of HTTP/1.0 the connection's end is the body's: only a reset does not end the body. TLS has an end of its own.
  const { socket } = outgoing;
  if (socket && !("encrypted" in socket)) socket.resetAndDestroy();
  else outgoing.destroy();
}

function writeHead(
  outgoing: Outgoing,
  status: number,
  reason: string,
  fields: readonly Field[],
): void {
  if ("stream" in outgoing) {
    outgoing.writeHead(status, http2Fields(fields, status));
    return;
  }
  // The origin's answer has a date, or is to have none.
  outgoing.sendDate = false;
  outgoing.writeHead(status, reason, fields.flat() as never);
}
