import type { AuditedAction, Storage } from "../store/control/storage.ts";
import type { Administered } from "./administered.ts";
import type { Caller } from "./authorize.ts";
import { readBody } from "./read-body.ts";
import { Refusal } from "./refusal.ts";

/** An authorized request on its way to an answer. */
export interface Call {
  readonly gateway: Administered;
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly caller: Caller;
  /** Throws a Refusal where the counts are in memory. */
  readonly storage: () => Storage;
}

/** The handler of one method at one path. */
export interface AdminRoute {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below `/_tidegate/api/v1`. */
  readonly path: string;
  readonly writes: boolean;
  /** The parameters that its query may have. */
  readonly query?: readonly string[];
  readonly answer: (call: Call) => Promise<Response>;
}

/** The longest body that is no document. */
const MAX_BODY_BYTES = 65_536;

/** Reads a body that is no document; `{}` if there is none. */
export async function readSmallBody({ request }: Call): Promise<unknown> {
  return (await readBody(request, MAX_BODY_BYTES)) ?? {};
}

/** An answer that no cache may store. */
export function json(body: object, fields: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { headers: { ...fields, "Cache-Control": "no-store" } });
}

/** A time in the form of answers; the beginning of 1970 for an invalid one, which a person may have written. */
export function isoTime(ms: number): string {
  const moment = new Date(ms);
  return (Number.isNaN(moment.getTime()) ? new Date(0) : moment).toISOString();
}

/** The author of the change, for the audit. */
export function auditedAction(
  { caller: { by } }: Call,
  action: string,
  more: Partial<AuditedAction> = {},
): AuditedAction {
  return { by, action, ...more };
}

/** The isolate that wrote enforces it at once; the others with their next read. */
export async function refresh({ gateway }: Call): Promise<void> {
  // The entry is written, and will be read later.
  await gateway.refresh().catch(() => {});
}

/** The version that a request is based on; `undefined` if it says none. */
export function ifMatch({ request }: Call): number | undefined {
  const field = request.headers.get("if-match");
  if (field === null) return undefined;
  const version = /^"(0|[1-9]\d{0,14})"$/.exec(field)?.[1];
  if (version === undefined) {
    throw new Refusal(400, 'Give the version in quotes as the ETag has it, such as If-Match: "7".');
  }
  return Number(version);
}
