import { onWorkers } from "../../runtime/environment.ts";
import { TIMED_OUT, withTimeout } from "../../runtime/time.ts";
import { clientFacts, type ClientFacts } from "./client-fields.ts";
import { hopFields } from "./hop-by-hop.ts";
import type { Forward, Forwarded } from "./origin.ts";
import { fieldsThatPass, ownFields } from "./outgoing-fields.ts";
import { BODY, refusal, type Refusal, STATUS, UPGRADE } from "./refusal.ts";
import { pathOf } from "./target.ts";

/** Asks the origin by `fetch()`: on Workers, and on platforms that have nothing else. */
export const forward: Forward = async (forwarded) => {
  const { request, bindings, origin } = forwarded;
  // Once: each look at fields costs a step into the runtime.
  const names: ReadonlySet<string> = new Set(request.headers.keys());
  const isOnWorkers = onWorkers();
  const refused = refuse(request, names, isOnWorkers);
  if (refused) return { kind: "answered", response: refusal(refused) };
  const url = new URL(request.url);
  const facts = clientFacts(url, request.headers, bindings, origin.trusted);
  const asked = outgoing(forwarded, url, names, facts);
  // fetch decodes the response elsewhere, so it must choose the codings that it can read.
  if (!isOnWorkers) asked.headers.delete("accept-encoding");
  try {
    const response = await ask(asked, origin.timeoutMs, isOnWorkers);
    if (response === TIMED_OUT) return { kind: "timeout" };
    return { kind: "answered", response: incoming(response, forwarded, facts, isOnWorkers) };
  } catch (error) {
    return request.signal.aborted ? { kind: "gone" } : { kind: "unreachable", error };
  }
};

/** A request that would arrive as another one: without its body, or without its upgrade. */
function refuse(
  { method, headers, body }: Request,
  names: ReadonlySet<string>,
  isOnWorkers: boolean,
): Refusal | undefined {
  if (method === "GET" || method === "HEAD") {
    // Workers drop a body whose length they do not know, and other platforms drop every one.
    if (names.has("transfer-encoding")) return BODY;
    const length = names.has("content-length") ? headers.get("content-length") : null;
    if (Number(length) > 0 && body === null) return BODY;
  }
  return !isOnWorkers && names.has("upgrade") && isWebSocket(headers) ? UPGRADE : undefined;
}

function isWebSocket(headers: Headers): boolean {
  return headers.get("upgrade")?.toLowerCase() === "websocket";
}

async function ask(
  request: Request,
  timeoutMs: number | undefined,
  isOnWorkers: boolean,
): Promise<Response | typeof TIMED_OUT> {
  // The client follows redirects, not the gateway.
  const options = { redirect: "manual" } as const;
  // On Workers a fetch ends with its request, and a signal costs a tenth of a decision.
  const stop = isOnWorkers ? undefined : endingWith(request.signal);
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

function outgoing(
  forwarded: Forwarded,
  url: URL,
  names: ReadonlySet<string>,
  facts: ClientFacts,
): Request {
  const { request, origin, decided } = forwarded;
  // Joined as text: resolved as a relative URL, a path of "//evil.example" would name another host.
  const address = origin.url === undefined ? request.url : origin.url + pathOf(url);
  const passed = new Request(address, request);
  const { headers } = passed;
  const connection = names.has("connection") ? headers.get("connection") : null;
  const passes = fieldsThatPass(connection, forwarded.passes);
  for (const name of names) {
    // Only the fetch of Workers can open a WebSocket.
    if (!passes(name) && !(name === "upgrade" && isWebSocket(headers))) headers.delete(name);
  }
  for (const [name, value] of ownFields(facts, decided?.decision)) headers.set(name, value);
  return passed;
}

/** The answer as the client gets it: the origin's own where its fields stay as they are, because a copy costs more than all else here. */
function incoming(
  response: Response,
  { origin: { address }, decided }: Forwarded,
  facts: ClientFacts,
  isOnWorkers: boolean,
): Response {
  const { status, headers } = response;
  // A response that switches protocols carries its socket: it cannot be copied.
  if (status === 101) return response;
  if (status > 599) {
    response.body?.cancel().catch(() => {});
    return refusal(STATUS);
  }
  const names: ReadonlySet<string> = new Set(headers.keys());
  const hop = hopFields(names.has("connection") ? headers.get("connection") : null);
  // On Workers an encoded body passes unchanged; elsewhere fetch has decoded it, but kept the field.
  const isDecoded = !isOnWorkers && names.has("content-encoding");
  const goes = (name: string) =>
    hop.has(name) || (isDecoded && /^content-(?:encoding|length)$/.test(name));
  const changed = [...names].filter((name) => goes(name) || address?.has(name));
  if (changed.length === 0 && !decided) return response;
  const own = new Response(response.body, response);
  for (const name of changed) {
    own.headers.delete(name);
    if (goes(name)) continue;
    const values = name === "set-cookie" ? headers.getSetCookie() : [headers.get(name)!];
    for (const value of values) own.headers.append(name, address!.get(name)!(value, facts));
  }
  return own;
}
