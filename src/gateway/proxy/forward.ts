import { onWorkers } from "../../runtime/environment.ts";
import { TIMED_OUT, withTimeout } from "../../runtime/timeout.ts";
import { clientFacts, type ClientFacts } from "./client-fields.ts";
import { hopFields } from "./hop-by-hop.ts";
import type { Forward, Forwarded, Origin } from "./origin.ts";
import { fieldsThatPass, ownFields } from "./outgoing-fields.ts";
import { BODY, refusal, type Refusal, STATUS, UPGRADE } from "./refusal.ts";
import { pathOf } from "./target.ts";

/** Asks the origin by `fetch()`: on Workers, and on platforms that have nothing else. */
export const forward: Forward = async (forwarded) => {
  const { request, bindings, origin } = forwarded;
  const refused = refuse(request);
  if (refused) return { kind: "answered", response: refusal(refused) };
  const facts = clientFacts(request, bindings, origin.trusted);
  try {
    const response = await ask(outgoing(forwarded, facts), origin.timeoutMs);
    if (response === TIMED_OUT) return { kind: "timeout" };
    return { kind: "answered", response: incoming(response, origin, facts) };
  } catch (error) {
    return request.signal.aborted ? { kind: "gone" } : { kind: "unreachable", error };
  }
};

/** A request that would arrive as another one: without its body, or without its upgrade. */
function refuse({ method, headers, body }: Request): Refusal | undefined {
  if (method === "GET" || method === "HEAD") {
    // Workers drop a body whose length they do not know, and other platforms drop every one.
    if (headers.has("transfer-encoding")) return BODY;
    if (Number(headers.get("content-length")) > 0 && body === null) return BODY;
  }
  return isWebSocket(headers) && !onWorkers() ? UPGRADE : undefined;
}

function isWebSocket(headers: Headers): boolean {
  return headers.get("upgrade")?.toLowerCase() === "websocket";
}

async function ask(
  request: Request,
  timeoutMs: number | undefined,
): Promise<Response | typeof TIMED_OUT> {
  // The client follows redirects, not the gateway.
  const options = { redirect: "manual" } as const;
  // On Workers a fetch ends with its request, and a signal costs a tenth of a decision.
  const stop = onWorkers() ? undefined : endingWith(request.signal);
  const init = stop ? { ...options, signal: stop.signal } : options;
  if (timeoutMs === undefined) return fetch(request, init);
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

function outgoing(forwarded: Forwarded, facts: ClientFacts): Request {
  const { request, origin, decided } = forwarded;
  const { url } = request;
  // Joined as text: resolved as a relative URL, a path of "//evil.example" would name another host.
  const passed = new Request(origin.url === undefined ? url : origin.url + pathOf(url), request);
  const { headers } = passed;
  const passes = fieldsThatPass(forwarded);
  // Only the fetch of Workers can open a WebSocket.
  const upgrade = isWebSocket(headers) ? headers.get("upgrade") : null;
  const names = [...headers.keys()];
  for (const name of names) if (!passes(name)) headers.delete(name);
  for (const [name, value] of ownFields(facts, decided?.decision)) headers.set(name, value);
  if (upgrade !== null) headers.set("upgrade", upgrade);
  // fetch decodes the response elsewhere, so it must choose the codings that it can read.
  if (!onWorkers()) headers.delete("accept-encoding");
  return passed;
}

function incoming(response: Response, { address }: Origin, facts: ClientFacts): Response {
  const { status, statusText } = response;
  // A response that switches protocols carries its socket: it cannot be copied.
  if (status === 101) return response;
  if (status > 599) {
    response.body?.cancel().catch(() => {});
    return refusal(STATUS);
  }
  const headers = new Headers(response.headers);
  for (const name of hopFields(headers.get("connection"))) {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) headers.delete(name);
  }
  // On Workers an encoded body passes unchanged; elsewhere fetch has decoded it, but kept the field.
  if (!onWorkers() && headers.has("content-encoding")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  for (const [name, rewrite] of address ?? []) {
    if (!headers.has(name)) continue;
    const values = name === "set-cookie" ? headers.getSetCookie() : [headers.get(name)!];
    headers.delete(name);
    for (const value of values) headers.append(name, rewrite(value, facts));
  }
  return new Response(response.body, { status, statusText, headers });
}
