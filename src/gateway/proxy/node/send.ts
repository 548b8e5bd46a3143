import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";

import { appendFieldsTo } from "../../../adapter/append-fields.ts";
import type { ClientFacts } from "../client-fields.ts";
import { hopFields } from "../hop-by-hop.ts";
import type { Decided, Origin } from "../origin.ts";
import type { Outgoing } from "./bindings.ts";
import { type Field, fieldsOf, RawFields } from "./raw-fields.ts";

/** An answer of the origin, and what becomes of it. */
export interface Answer {
  readonly message: IncomingMessage;
  readonly origin: Origin;
  readonly facts: ClientFacts;
}

/** Of a request that is answered: its client was there when the origin answered. */
export const PRESENT = { signal: { aborted: false } };

/** The fields of an answer that the client gets, as they came, but with the gateway's address in the place of the origin's. */
export function answerFields({ message, origin: { address }, facts }: Answer): RawFields {
  const hop = hopFields(message.headers.connection ?? null);
  const kept: Field[] = [];
  for (const [name, value] of fieldsOf(message.rawHeaders)) {
    const key = name.toLowerCase();
    // It announces the fields after the body, which pass.
    if (hop.has(key) && key !== "trailer") continue;
    kept.push([name, address?.get(key)?.(value, facts) ?? value]);
  }
  return new RawFields(kept);
}

/** Sends an answer with the fields of its decision. Resolves when that has ended, or when the client has gone. */
export function send(
  answer: Answer,
  request: ClientRequest,
  outgoing: Outgoing,
  decided: Decided | undefined,
): Promise<void> {
  const { message } = answer;
  const status = message.statusCode!;
  const fields = answerFields(answer);
  if (decided) appendFieldsTo(fields, decided.decision);
  writeHead(outgoing, status, message.statusMessage ?? "", fields.list);
  message.pipe(outgoing as ServerResponse, { end: false });
  message.once("end", () => {
    const trailers = fieldsOf(message.rawTrailers);
    if ("stream" in outgoing) outgoing.addTrailers(Object.fromEntries(trailers));
    else if (trailers.length > 0) outgoing.addTrailers(trailers as [string, string][]);
    outgoing.end();
  });
  // A body that breaks off must not look like a whole one.
  message.once("error", () => outgoing.destroy());
  return new Promise((resolve) => {
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) request.destroy();
      decided?.settlement?.now(status, PRESENT);
      resolve();
    });
  });
}

function writeHead(
  outgoing: Outgoing,
  status: number,
  reason: string,
  fields: readonly Field[],
): void {
  if ("stream" in outgoing) {
    for (const [name, value] of fields) outgoing.appendHeader(name, value);
    outgoing.writeHead(status);
    return;
  }
  // The origin's answer has a date, or is to have none.
  outgoing.sendDate = false;
  outgoing.writeHead(status, reason, fields.flat() as never);
}
