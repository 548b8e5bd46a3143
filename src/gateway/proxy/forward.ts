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
  const names = [...request.headers.keys()];
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
  names: readonly string[],
  isOnWorkers: boolean,
): Refusal | undefined {
  if (method === "GET" || method === "HEAD") {
    // Workers drop a body whose length they do not know, and other platforms drop every one.
    if (names.includes("transfer-encoding")) return BODY;
    const length = names.includes("content-length") ? headers.get("content-length") : null;
    if (Number(length) > 0 && body === null) return BODY;
  }
  return !isOnWorkers && names.includes("upgrade") && isWebSocket(headers) ? UPGRADE : undefined;
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
  names: readonly string[],
  facts: ClientFacts,
): Request {
  const { request, origin, decided } = forwarded;
  // Joined as text: resolved as a relative URL, a path of "//evil.example" would name another host.
  const address = origin.url === undefined ? request.url : origin.url + pathOf(url);
  const passed = new Request(address, request);
  const { headers } = passed;
  const connection = names.includes("connection") ? headers.get("connection") : null;
  const passes = fieldsThatPass(connection, forwarded.passes);
  for (const name of names) {
    // Only the fetch of Workers can open a WebSocket.
    if (!passes(name) && !(name === "upgrade" && isWebSocket(headers))) headers.delete(name);
  }
  for (const [name, value] of ownFields(facts, decided?.decision)) headers.set(name, value);
  return passed;
}

/** The fields that describe a body before fetch decoded it. */
const CODED = ["content-encoding", "content-length"];

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
  // Asked for by name: an answer may have many fields, and each one that is listed costs a step into the runtime.
  const isThere = (name: string) => headers.has(name);
  const hop = hopFields(headers.get("connection"));
  // On Workers an encoded body passes unchanged; elsewhere fetch has decoded it, but kept the field.
  const isDecoded = !isOnWorkers && isThere("content-encoding");
  const dropped = [...hop, ...(isDecoded ? CODED : [])].filter(isThere);
  const rewritten = [...(address ?? [])].filter(([name]) => !hop.has(name) && isThere(name));
  if (dropped.length === 0 && rewritten.length === 0 && !decided) return response;
  const own = new Response(response.body, response);
  for (const name of dropped) own.headers.delete(name);
  for (const [name, rewrite] of rewritten) {
    own.headers.delete(name);
    const values = name === "set-cookie" ? headers.getSetCookie() : [headers.get(name)!];
    for (const value of values) own.headers.append(name, rewrite(value, facts));
  }
  return own;
}
