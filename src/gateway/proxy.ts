import { problemResponse } from "../decision/problem.ts";
import { onWorkers } from "../runtime/environment.ts";
import { stripHopByHop } from "./hop-by-hop.ts";
import { stripPrivate } from "./private-fields.ts";

/**
 * Passes a request on and its response back, both bodies streamed, fields that concern one hop left out.
 *
 * @param origin where to, without a slash at the end; `undefined` for the address that the request already has
 */
export async function passOn(request: Request, origin: string | undefined): Promise<Response> {
  try {
    // A redirect is for the client to follow.
    return incoming(await fetch(outgoing(request, origin), { redirect: "manual" }));
  } catch {
    return problemResponse({
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "The origin did not answer.",
    });
  }
}

function outgoing(request: Request, origin: string | undefined): Request {
  const { href, protocol, host } = new URL(request.url);
  // Put together as text: as a relative URL, a path of "//evil.example" would name another host.
  const path = href.slice(href.indexOf("/", protocol.length + 2));
  const passed = new Request(origin === undefined ? href : `${origin}${path}`, request);
  const { headers } = passed;
  const upgrade = headers.get("upgrade");
  stripHopByHop(headers);
  stripPrivate(headers);
  // The origin has a name of its own.
  headers.delete("host");
  tellForwarded(headers, "x-forwarded-host", host);
  tellForwarded(headers, "x-forwarded-proto", protocol.slice(0, -1));
  if (onWorkers()) {
    // There, the platform makes a WebSocket of it; elsewhere, fetch has none to give.
    if (upgrade?.toLowerCase() === "websocket") headers.set("upgrade", upgrade);
  } else {
    // What fetch will decode, it has to ask for itself.
    headers.delete("accept-encoding");
  }
  return passed;
}

/** Workers are called by clients, who may say anything; elsewhere, who stands in front knows better. */
function tellForwarded(headers: Headers, name: string, value: string): void {
  if (onWorkers() || !headers.has(name)) headers.set(name, value);
}

function incoming(response: Response): Response {
  // A response that switches protocols carries its socket: it cannot be built anew.
  if (response.status === 101) return response;
  const headers = new Headers(response.headers);
  stripHopByHop(headers);
  // On Workers, an encoded body goes through as it is; elsewhere, fetch has decoded it and left the field.
  if (!onWorkers() && headers.has("content-encoding")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
