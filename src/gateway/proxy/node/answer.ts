import type { IncomingMessage } from "node:http";

import type { ClientFacts } from "../client-fields.ts";
import { hopFields } from "../hop-by-hop.ts";
import type { Origin } from "../origin.ts";
import { type Field, fieldsOf, RawFields } from "./raw-fields.ts";

/** An answer of the origin, and what becomes of it. */
export interface Answer {
  readonly message: IncomingMessage;
  readonly origin: Origin;
  readonly facts: ClientFacts;
}

/** Whether an answer can be passed on: some servers send what is no status, or a coding that the gateway would undo. */
export function isPassable({ statusCode = 0, headers }: IncomingMessage): boolean {
  const coding = headers["transfer-encoding"]?.toLowerCase();
  return statusCode >= 200 && (coding === undefined || coding === "chunked");
}

/** The text after the status, without characters that no response may have there. */
export function reasonOf({ statusMessage = "" }: IncomingMessage): string {
  return statusMessage.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
}

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
