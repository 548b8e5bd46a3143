/** The calls in a body of JSON-RPC. */
export interface Call {
  /** One call of a tool, several, none, or an unreadable body. */
  readonly kind: "one" | "several" | "none" | "unknown";
  /** The name of the tool, as the client has it. */
  readonly tool?: string | undefined;
  /** By which the client knows the answer. */
  readonly id?: string | number | undefined;
}

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: unknown;
}

/** The call of a tool in a body: `tools/call` with `params.name`. */
export function callIn(text: string): Call {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: "unknown" };
  }
  const messages = [body].flat().map((message) => Object(message) as Message);
  const id = idOf(messages[0]);
  const calls = messages.filter(({ method }) => method === "tools/call");
  if (calls.length === 0) return { kind: "none", id };
  if (calls.length > 1) return { kind: "several", id };
  const { name } = Object(calls[0]!.params) as { name?: unknown };
  return { kind: "one", tool: typeof name === "string" ? name : undefined, id: idOf(calls[0]) };
}

function idOf(message: Message | undefined): string | number | undefined {
  const id = message?.id;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** As JSON-RPC has it. */
const INVALID_REQUEST = -32_600;

/** The error number of MCP for a reached limit (SEP-3304); no other error has it. */
const RATE_LIMITED = -32_023;

/** The answer to a call that is not made, with the fields of the response that denied it. */
export function refusal(
  status: number,
  denial: Response | undefined,
  id: string | number | undefined,
): Response {
  const headers = new Headers(denial?.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  headers.set("cache-control", "no-store");
  const seconds = Number(headers.get("retry-after"));
  const error = denial
    ? {
        code: RATE_LIMITED,
        message: `The limit is reached. Try again in ${seconds} s.`,
        data: { retryAfter: seconds },
      }
    : { code: INVALID_REQUEST, message: "Send one call of a tool per request." };
  void denial?.body?.cancel();
  return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status, headers });
}
