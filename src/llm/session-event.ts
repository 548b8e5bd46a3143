import { isRecord } from "../options/record.ts";
import { usageOfDocument } from "./document-usage.ts";
import type { Usage } from "./usage.ts";

/** A message of a session's socket: its text or bytes, or the object that these spell. */
export type SessionMessage = string | ArrayBuffer | Uint8Array | object;

/** The turns of a session, as one of its messages tells them. */
export interface SessionEvent {
  readonly kind:
    /** An answer has begun. */
    | "begun"
    /** An answer has ended. */
    | "ended"
    /** The provider refused a request, so no answer begins. */
    | "refused"
    /** The provider ran a model beside the answers, such as one that writes down what a user said. */
    | "beside"
    /** The usage is that of the whole session so far. */
    | "total";
  /** The provider's name of the answer, if it has one. */
  readonly id?: string | undefined;
  /** Absent if the message tells none. */
  readonly usage?: Usage | undefined;
}

/** The last event of an answer, of OpenAI's APIs and those like them. */
const LAST_EVENT = /^response\.(?:done|completed|incomplete|failed|cancelled)$/;

/** Reads a message; `undefined` if it says nothing of a turn. */
export function readSessionEvent(message: SessionMessage): SessionEvent | undefined {
  const bytes = bytesOf(message);
  const event = parsed(bytes);
  if (!isRecord(event)) return undefined;
  const kind = kindOf(event);
  if (!kind) return undefined;
  const { response } = event;
  const id = isRecord(response) && typeof response["id"] === "string" ? response["id"] : undefined;
  return { kind, id, usage: kind === "begun" ? undefined : usageOfDocument(bytes) };
}

function kindOf(event: Readonly<Record<string, unknown>>): SessionEvent["kind"] | undefined {
  const { type, status, usage, usageMetadata, event: ofNova } = event;
  if (type === "response.created") return "begun";
  if (typeof type === "string" && LAST_EVENT.test(type)) return "ended";
  if (type === "error" && typeof status === "number" && status >= 400) return "refused";
  // Gemini's Live API tells a usage once for each time that the model ran.
  if (isRecord(usageMetadata)) return "ended";
  if (isRecord(ofNova) && "usageEvent" in ofNova) return "total";
  if (isRecord(ofNova) && "completionEnd" in ofNova) return "ended";
  return isRecord(usage) ? "beside" : undefined;
}

function bytesOf(message: SessionMessage): Uint8Array {
  if (message instanceof Uint8Array) return message;
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  return new TextEncoder().encode(typeof message === "string" ? message : JSON.stringify(message));
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
