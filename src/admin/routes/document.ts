import { isRecord } from "../../options/record.ts";
import { exceedsBytes, MAX_DOCUMENT_BYTES } from "../../store/control/storage.ts";
import type { Call } from "../call.ts";
import { readBody, tooLarge } from "../read-body.ts";
import { faulty, Refusal } from "../refusal.ts";

/** A document that the gateway can enforce. */
export interface SoundDocument {
  readonly document: unknown;
  /** As it is kept. */
  readonly text: string;
}

/** The longest document that a sender may only check: a longer one keeps an isolate from its requests for too long. */
const MAX_CHECKED_BYTES = 250_000;

const READERS =
  " A longer document needs the ADMIN_TOKEN; `tidegate rules check` checks it without a gateway.";

/** Reads the document in the body of a request. */
export async function readDocument(call: Call): Promise<SoundDocument> {
  const mayPublish = call.caller.role === "admin";
  const body = mayPublish
    ? await readBody(call.request, MAX_DOCUMENT_BYTES)
    : await readBody(call.request, MAX_CHECKED_BYTES, READERS);
  if (!isRecord(body)) throw new Refusal(400, "Send the document: a JSON object with rules.");
  // The base version in a file is out of date as soon as the file is published.
  const { version: _, ...document } = body;
  return soundDocument(call, document);
}

/** Checks a document as this gateway would enforce it. */
export function soundDocument({ gateway }: Call, document: unknown): SoundDocument {
  const faults = gateway.checkDocument(document);
  if (faults.length > 0) throw faulty(faults);
  const text = JSON.stringify(document);
  // Numbers may be written shorter than they are kept.
  if (exceedsBytes(text, MAX_DOCUMENT_BYTES)) throw tooLarge(MAX_DOCUMENT_BYTES);
  return { document, text };
}
