import { Faults } from "../options/faults.ts";
import { CALL_STATUS, ENDPOINT, FIELD_NAME, TOOL, TOOLS } from "../options/messages.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { callIn, denied, NOT_PLAIN, refused, type RpcCall } from "./json-rpc.ts";
import { isPlainType } from "./plain-json.ts";

/** The options of `limitTools()`. */
export interface LimitToolsOptions {
  /**
   * The path of the MCP server's endpoint. A request with a body to any other path counts as `other`, because a server may
   * take `/MCP` or `/mcp/` for it. Default: `"/mcp"`.
   */
  readonly path?: string;
  /**
   * The tools that are told apart; all others are `other`. Without it a client that invents names gets a new quota for each.
   * Default: all.
   */
  readonly tools?: readonly string[];
  /**
   * The name that an unknown tool counts as: one that `tools` does not have, or that of a body too long or compressed.
   * Default: `"other"`.
   */
  readonly other?: string;
  /**
   * The longest body that is read. A longer one counts as `other`, and passes whole. Range: 1 to 1,048,576 bytes. Default:
   * `65536`.
   */
  readonly maxBytes?: number;
  /** The request's field with the tool's name. A client's own field of this name is removed. Default: `"x-mcp-tool"`. */
  readonly field?: string;
  /**
   * The status of a denied call's response: 429 as HTTP has it, or 200 for clients that read a JSON-RPC error only there,
   * such as those made with version 1 of MCP's TypeScript SDK. Default: `429`.
   */
  readonly status?: 200 | 429;
}

/** Handles requests, as a worker or a gateway does. */
interface Handler<Rest extends readonly unknown[]> {
  fetch(request: Request, ...rest: Rest): Response | Promise<Response>;
}

/** MCP has no longer names, and no other characters in them. */
const NAME = /^[A-Za-z0-9_./-]{1,128}$/;

const FIELD = /^[\w!#$%&'*+.^`|~-]+$/;

const MOST_BYTES = 1_048_576;

const DEFAULTS = {
  path: "/mcp",
  other: "other",
  maxBytes: 65_536,
  field: "x-mcp-tool",
  status: 429,
} as const;

type Settings = Required<Omit<LimitToolsOptions, "tools">> & {
  readonly tools: readonly string[] | undefined;
};

/**
 * Lets a limiter count the calls of each tool of an MCP server: says the tool's name, from the body of `tools/call`, in a
 * field of the request, `x-mcp-tool`, which rules and middleware count by. A denial becomes an error of JSON-RPC with
 * `data.retryAfter` in seconds.
 *
 * The body reaches the server as it was. One that servers could read in different ways is refused with 400 and an error of
 * JSON-RPC: a body that is not JSON in UTF-8, an object with a name twice, `Method` for `method`. So is a batch with several calls,
 * since MCP has no batches from 2025-06-18 on.
 *
 * @param handler a gateway, a Hono app, or a worker
 * @throws ConfigurationError for an option that is unknown or out of range
 * @example
 * export default limitTools(createGateway(env), { tools: ["search", "fetch"] });
 */
export function limitTools<Rest extends readonly unknown[]>(
  handler: Handler<Rest>,
  options: LimitToolsOptions = {},
): { fetch(request: Request, ...rest: Rest): Promise<Response> } {
  const { path, tools, other, maxBytes, field, status } = checked(options);
  const toolOf = (name: string | undefined) =>
    isName(name) && (tools?.includes(name) ?? true) ? name : other;

  return {
    async fetch(request, ...rest) {
      const headers = new Headers(request.headers);
      // Only the body says the tool.
      headers.delete(field);
      const isCall = request.method === "POST" && new URL(request.url).pathname === path;
      if (!isCall) {
        // Servers read other spellings of the path, or a field with the method, as a call: it must not pass uncounted.
        if (request.body !== null) headers.set(field, other);
        const isClean = request.body === null && !request.headers.has(field);
        return handler.fetch(isClean ? request : new Request(request, { headers }), ...rest);
      }
      if (!isPlainType(headers.get("content-type"))) return refused(NOT_PLAIN, undefined);
      const start = headers.has("content-encoding")
        ? undefined
        : await readStart(request, maxBytes);
      const call: RpcCall = start?.bytes ? callIn(start.bytes) : { kind: "unknown" };
      if (call.kind === "refused") return refused(call.why, call.id);
      if (call.kind !== "none") headers.set(field, toolOf(call.tool));
      const init = start && ({ body: start.body, duplex: "half" } as RequestInit);
      const passed = new Request(request, { headers, ...init });
      const response = await handler.fetch(passed, ...rest);
      return isDenial(response) ? denied(status, response, call.id) : response;
    },
  };
}

/** Whether it says that a limit is reached, as a problem: an origin may say so, too. */
function isDenial({ status, headers }: Response): boolean {
  const type = headers.get("content-type") ?? "";
  return (status === 429 || status === 503) && type.startsWith("application/problem+json");
}

function checked(value: LimitToolsOptions): Settings {
  const faults = new Faults();
  const names = [...Object.keys(DEFAULTS), "tools"];
  const { tools, ...options } = checkedOptions(value, names, faults);
  const settings = { ...DEFAULTS, ...options };
  const { path, other, maxBytes, field, status } = settings;
  if (typeof path !== "string" || !path.startsWith("/")) faults.add("path", path, ENDPOINT);
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isName))) {
    faults.add("tools", tools, TOOLS);
  }
  if (!isName(other)) faults.add("other", other, TOOL);
  if (typeof field !== "string" || !FIELD.test(field)) faults.add("field", field, FIELD_NAME);
  if (status !== 200 && status !== 429) faults.add("status", status, CALL_STATUS);
  checkPositiveInteger(maxBytes, MOST_BYTES, "maxBytes", faults);
  faults.throwIfAny();
  return { ...settings, tools };
}

function isName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name);
}

/** A body of which the start has been read, and a body to send instead. */
interface StartOfBody {
  /** The whole body; `undefined` if it is longer than was to be read. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Every byte of it, also those that were read. */
  readonly body: BodyInit | null;
}

/** Reads a request's body as long as it has at most so many bytes. It keeps no more than these and the chunk that exceeds them. */
async function readStart({ body }: Request, maxBytes: number): Promise<StartOfBody> {
  if (body === null) return { bytes: new Uint8Array(), body: null };
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.byteLength;
    if (size > maxBytes) return { bytes: undefined, body: followedBy(chunks, reader) };
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return { bytes, body: bytes };
}

/** The chunks that were read, and then the rest, which is read as slowly as it is taken. */
function followedBy(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = chunks[next++];
        if (chunk) return controller.enqueue(chunk);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
