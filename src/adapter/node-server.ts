import type { NodeSocket } from "../partition/client-ip.ts";
import type { RequestData } from "../partition/request-data.ts";

export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket?: NodeSocket;
}

/** The parts that are used of a response of Node, besides its header fields. */
export interface NodeResponse {
  readonly statusCode: number;
  readonly headersSent: boolean;
  readonly destroyed?: boolean;
  readonly writableEnded?: boolean;
  readonly writableFinished?: boolean;
  /** HTTP/2 only: there the response does not report a closed stream. */
  readonly stream?: { readonly destroyed: boolean } | undefined;
  once(event: "finish" | "close", listener: () => void): unknown;
  end(...args: never[]): unknown;
}

/** Header fields that can still be set: those of a response of Node, or of Fastify's reply. */
export interface FieldSink {
  get(name: string): unknown;
  set(name: string, value: string | readonly string[]): unknown;
}

/** A request of Node as sources read it: its fields are copied for the first source that reads one. */
export function requestDataOf(incoming: NodeRequest, connection: string | undefined): RequestData {
  let headers: Headers | undefined;
  return {
    request: {
      get headers() {
        return (headers ??= headersOf(incoming.headers));
      },
      url: incoming.url ?? "",
    },
    connection,
  };
}

function headersOf(fields: NodeRequest["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    // HTTP/2 has its pseudo-headers among them.
    if (value === undefined || name.startsWith(":")) continue;
    for (const one of [value].flat()) headers.append(name, one);
  }
  return headers;
}

/** Lists that several limiters of one request extend: the items of the last one come first. */
const LISTS = ["ratelimit", "ratelimit-policy"];

/** Sets the fields of a decision, or of a response made for it, beside those of other limiters. */
export function setFields(sink: FieldSink, fields: Headers): void {
  for (const [name, value] of fields) {
    const earlier = LISTS.includes(name) ? sink.get(name) : undefined;
    if (name !== "set-cookie") sink.set(name, earlier ? `${value}, ${String(earlier)}` : value);
  }
  const cookies = fields.getSetCookie();
  if (cookies.length > 0) sink.set("set-cookie", cookies);
}

export interface ResponseEnd {
  readonly status: number;
  /** Whether its client had hung up before. */
  readonly aborted: boolean;
}

/** Resolves when a response has been sent or given up. */
export function endOf(outgoing: NodeResponse): Promise<ResponseEnd> {
  return new Promise((resolve) => {
    const end = (aborted: boolean) => resolve({ status: outgoing.statusCode, aborted });
    let isGone = false;
    const close = () => {
      if (isGone) return;
      isGone = true;
      if (outgoing.headersSent) return end(!outgoing.writableFinished);
      // The client has hung up on a handler that is still at work, and whose status is not known yet.
      const { end: send } = outgoing;
      outgoing.end = (...args) => {
        end(true);
        return send.apply(outgoing, args);
      };
    };
    // A handler before the limiter may have taken longer than the client waited: then no event comes.
    if (outgoing.destroyed || outgoing.stream?.destroyed) return close();
    // A response of HTTP/2 also says that it is finished when its client has hung up.
    outgoing.once("finish", () => (outgoing.writableEnded === false ? close() : end(false)));
    outgoing.once("close", close);
  });
}
