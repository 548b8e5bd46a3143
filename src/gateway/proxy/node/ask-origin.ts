import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";

import type { OriginFailure } from "../origin.ts";
import type { Field } from "./raw-fields.ts";

/** Before most servers close an idle connection: a request on one that is being closed is lost. */
const IDLE_MS = 4_000;

const POOL = { keepAlive: true, timeout: IDLE_MS };
const httpAgent = new HttpAgent(POOL);
const httpsAgent = new HttpsAgent(POOL);

/** A request as the origin gets it. */
export interface Asked {
  readonly method: string;
  /** As text, because a URL would change the path. */
  readonly address: string;
  /** Besides `Host`. */
  readonly fields: readonly Field[];
}

/** The end of the wait for an origin. */
export type Answered =
  | { readonly kind: "response"; readonly message: IncomingMessage }
  | Upgraded
  | { readonly kind: OriginFailure; readonly error?: unknown }
  | { readonly kind: "gone" };

/** The connection has another protocol from here on. */
export interface Upgraded {
  readonly kind: "upgrade";
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the origin has sent in it already. */
  readonly head: Buffer;
}

/** A request that is being made. */
export interface Asking {
  /** Takes the body. */
  readonly request: ClientRequest;
  readonly answered: Promise<Answered>;
  /** Closes the connection, because the client has gone. */
  giveUp(): void;
}

/** Begins a request. It is sent when its body begins or ends. */
export function askOrigin(
  { method, address, fields }: Asked,
  timeoutMs: number | undefined,
): Asking {
  const { protocol, hostname, port, host } = new URL(address);
  const isSecure = protocol === "https:";
  const request = (isSecure ? httpsRequest : httpRequest)({
    agent: isSecure ? httpsAgent : httpAgent,
    // An IPv6 address has brackets in a URL alone.
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port || (isSecure ? 443 : 80),
    method,
    path: address.slice(address.indexOf("/", protocol.length + 2)),
    // A list keeps the fields as they are: an object would join them, and Node would add its own.
    headers: [["Host", host], ...fields].flat() as never,
  });
  // All fields that fit into the bytes which Node reads of them: it would drop those after the thousandth.
  request.maxHeadersCount = 0;
  let settle!: (answered: Answered) => void;
  const answered = new Promise<Answered>((resolve) => (settle = resolve));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (answered: Answered) => {
    clearTimeout(timer);
    settle(answered);
  };
  if (timeoutMs !== undefined) {
    timer = setTimeout(() => {
      end({ kind: "timeout" });
      request.destroy();
    }, timeoutMs);
  }
  request.once("response", (message) => end({ kind: "response", message }));
  request.once("upgrade", (message, socket, head) => {
    end({ kind: "upgrade", message, socket, head });
  });
  // It stays, because an origin that has answered may still close the connection on a body.
  request.on("error", (error) => end({ kind: "unreachable", error }));
  return {
    request,
    answered,
    giveUp() {
      end({ kind: "gone" });
      request.destroy();
    },
  };
}
