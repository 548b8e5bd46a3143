import { OVER } from "../../adapter/over-limits.ts";
import { problemResponse } from "../../decision/problem.ts";
import type { IsImitation } from "../../partition/field-names.ts";
import { onWorkers } from "../../runtime/environment.ts";
import { TIMED_OUT, withTimeout } from "../../runtime/timeout.ts";
import { stripHopByHop } from "./hop-by-hop.ts";
import { dropImitations } from "./imitations.ts";
import { stripPrivate } from "./private-fields.ts";

/** The server behind the gateway. */
export interface Origin {
  /** Without a trailing slash; `undefined` keeps the request's own URL. */
  readonly url: string | undefined;
  /** How long it may take to begin its answer, in milliseconds; `undefined` for as long as it takes. */
  readonly timeoutMs: number | undefined;
}

/** The kind of failure of a request that the origin did not answer. */
export type OriginFailure = "unreachable" | "timeout";

/**
 * Forwards a request to the origin and returns its response. Bodies are streamed, and fields for one hop are removed. Without
 * an answer it is a 502, or a 504 after the timeout; a body that has begun is never cut off.
 *
 * @param onFailure called where the origin gave no answer, unless the client has gone
 * @param isImitation whether some origins take a field for one that the rules in force read
 * @param over what the origin learns as `Tidegate-Over`; nothing if it is empty
 */
export async function passOn(
  request: Request,
  { url, timeoutMs }: Origin,
  onFailure: (failure: OriginFailure, error?: unknown) => void,
  isImitation: IsImitation,
  over = "",
): Promise<Response> {
  try {
    const response = await ask(outgoing(request, url, isImitation, over), timeoutMs);
    if (response !== TIMED_OUT) return incoming(response);
    onFailure("timeout");
    return problemResponse({
      type: "about:blank",
      title: "Gateway Timeout",
      status: 504,
      detail: "The origin did not answer in time.",
    });
  } catch (error) {
    if (!request.signal.aborted) onFailure("unreachable", error);
    return problemResponse({
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "The origin did not answer.",
    });
  }
}

async function ask(
  request: Request,
  timeoutMs: number | undefined,
): Promise<Response | typeof TIMED_OUT> {
  // The client follows redirects, not the gateway.
  const options = { redirect: "manual" } as const;
  if (timeoutMs === undefined) return fetch(request, options);
  // On Workers a fetch ends with its request, and a signal costs a tenth of a decision.
  const stop = onWorkers() ? undefined : endingWith(request.signal);
  const init = stop ? { ...options, signal: stop.signal } : options;
  const answer = await withTimeout(timeoutMs, () => fetch(request, init));
  if (answer === TIMED_OUT) stop?.abort();
  return answer;
}

/** A controller that also ends what it controls when the client has gone. The Edge runtime has no `AbortSignal.any()`. */
function endingWith(client: AbortSignal): AbortController {
  const stop = new AbortController();
  const end = () => stop.abort(client.reason);
  if (client.aborted) end();
  else client.addEventListener("abort", end, { once: true });
  return stop;
}

function outgoing(
  request: Request,
  origin: string | undefined,
  isImitation: IsImitation,
  over: string,
): Request {
  const { href, protocol, host } = new URL(request.url);
  // Joined as text: resolved as a relative URL, a path of "//evil.example" would name another host.
  const path = href.slice(href.indexOf("/", protocol.length + 2));
  const passed = new Request(origin === undefined ? href : `${origin}${path}`, request);
  const { headers } = passed;
  const upgrade = headers.get("upgrade");
  stripHopByHop(headers);
  stripPrivate(headers);
  dropImitations(headers, isImitation);
  // A client may have made it up.
  headers.delete(OVER);
  if (over !== "") headers.set(OVER, over);
  // fetch sets the field to the origin's own name.
  headers.delete("host");
  setForwarded(headers, "x-forwarded-host", host);
  setForwarded(headers, "x-forwarded-proto", protocol.slice(0, -1));
  if (onWorkers()) {
    // Only the fetch of Workers can open a WebSocket.
    if (upgrade?.toLowerCase() === "websocket") headers.set("upgrade", upgrade);
  } else {
    // fetch decodes the response here, so it must choose the codings that it can read.
    headers.delete("accept-encoding");
  }
  return passed;
}

/** On Workers a client may have made up the field, so it is replaced. Elsewhere a proxy in front may have set it. */
function setForwarded(headers: Headers, name: string, value: string): void {
  if (onWorkers() || !headers.has(name)) headers.set(name, value);
}

function incoming(response: Response): Response {
  // A response that switches protocols carries its socket: it cannot be copied.
  if (response.status === 101) return response;
  const headers = new Headers(response.headers);
  stripHopByHop(headers);
  // On Workers an encoded body passes unchanged; elsewhere fetch has decoded it, but kept the field.
  if (!onWorkers() && headers.has("content-encoding")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
