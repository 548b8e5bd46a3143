import { waitInWords } from "../runtime/wait-in-words.ts";
import { folded, hasTwins, textOf } from "./plain-json.ts";

/** By which a client knows an answer. */
type Id = string | number | undefined;

/** The calls of a JSON-RPC body. */
export type RpcCall =
  /** `tool` is the name as the client has it, if there is one. A body that is not read is a call of any tool. */
  | { readonly kind: "one" | "unknown"; readonly tool?: string | undefined; readonly id?: Id }
  | { readonly kind: "none"; readonly tool?: undefined; readonly id: Id }
  /** Servers could read the body in different ways. */
  | { readonly kind: "refused"; readonly why: Refused; readonly id: Id };

/** An error of JSON-RPC. */
export interface Refused {
  readonly code: number;
  readonly message: string;
}

/** As JSON-RPC has them. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export const NOT_PLAIN: Refused = {
  code: PARSE_ERROR,
  message: "Send JSON in UTF-8, with the Content-Type application/json.",
};

const NO_MESSAGE: Refused = {
  code: INVALID_REQUEST,
  message: "Send an object with a method, or with the result or error of a request.",
};

const TWINS: Refused = {
  code: INVALID_REQUEST,
  message: "Send each name of an object once: servers differ in which value they take.",
};

const SPELLING: Refused = {
  code: INVALID_REQUEST,
  message:
    "Spell method, params, name and tools/call as they are: servers differ in what they take for them.",
};

const SEVERAL: Refused = {
  code: INVALID_REQUEST,
  message: "Send one call of a tool per request.",
};

const CALL = "tools/call";

/** The names that decide what a message calls, and one that changes an object instead of being in it. */
const OF_MESSAGE = ["method", "params", "__proto__"];
const OF_PARAMS = ["name", "__proto__"];

type Fields = Readonly<Record<string, unknown>>;

const refusal = (why: Refused, id?: Id): RpcCall => ({ kind: "refused", why, id });

/** The call of a tool in a body: `tools/call` with `params.name`. */
export function callIn(bytes: Uint8Array<ArrayBuffer>): RpcCall {
  const text = textOf(bytes);
  if (text === undefined) return refusal(NOT_PLAIN);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refusal(NOT_PLAIN);
  }
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length === 0 || !messages.every(isObject)) return refusal(NO_MESSAGE);
  if (hasTwins(text, body)) return refusal(TWINS);
  const id = idOf(messages[0]!);
  for (const message of messages) {
    const why = faultOf(message);
    if (why) return refusal(why, idOf(message));
  }
  const [call, second] = messages.filter(({ method }) => method === CALL);
  if (second) return refusal(SEVERAL, id);
  if (!call) return { kind: "none", id };
  const { name } = isObject(call["params"]) ? call["params"] : {};
  return { kind: "one", tool: typeof name === "string" ? name : undefined, id: idOf(call) };
}

/** Why servers could differ about a message; `undefined` if they do not. */
function faultOf(message: Fields): Refused | undefined {
  const { method, params } = message;
  if (isMisspelt(message, OF_MESSAGE)) return SPELLING;
  if (isObject(params) && isMisspelt(params, OF_PARAMS)) return SPELLING;
  // An answer to a request of the server.
  if (method === undefined)
    return "result" in message || "error" in message ? undefined : NO_MESSAGE;
  if (typeof method !== "string") return NO_MESSAGE;
  return method !== CALL && folded(method) === CALL ? SPELLING : undefined;
}

/** Whether an object has one of these names in a spelling that only some servers take for it. */
function isMisspelt(object: Fields, names: readonly string[]): boolean {
  return Object.keys(object).some(
    (name) => names.includes(folded(name)) && (name === "__proto__" || !names.includes(name)),
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Not a number that JavaScript has changed. */
function idOf({ id }: Fields): Id {
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as Id) : undefined;
}

/** The error number of MCP for a reached limit (SEP-3304); no other error has it. */
const RATE_LIMITED = -32_023;

/** They describe the body that is replaced. */
const OF_BODY = ["content-length", "content-encoding", "etag"];

/** Whole seconds. An origin that denies may have none, or a date. */
const SECONDS = /^\d{1,9}$/;

/** The answer to a denied call, with the fields of the response that denied it. */
export function denied(status: number, denial: Response, id: Id): Response {
  const headers = new Headers(denial.headers);
  for (const field of OF_BODY) headers.delete(field);
  // A body that has failed already rejects.
  denial.body?.cancel().catch(() => {});
  const wait = headers.get("retry-after") ?? "";
  const error = { code: RATE_LIMITED, message: "The limit is reached." };
  if (!SECONDS.test(wait)) return answer(status, headers, error, id);
  const message = `${error.message} Try again in ${waitInWords(Number(wait))}.`;
  return answer(status, headers, { ...error, message, data: { retryAfter: Number(wait) } }, id);
}

/** The answer to a body that servers could read in different ways. */
export function refused(why: Refused, id: Id): Response {
  return answer(400, new Headers(), why, id);
}

function answer(status: number, headers: Headers, error: object, id: Id): Response {
  headers.set("content-type", "application/json");
  headers.set("cache-control", "no-store");
  return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status, headers });
}
