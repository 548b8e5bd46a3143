import { forward } from "#forward";

import { appendFieldsTo } from "../../adapter/append-fields.ts";
import type { Decided, Forwarded, OriginFailure } from "./origin.ts";
import { BAD_GATEWAY, GATEWAY_TIMEOUT, type Refusal, refusal, TRACE } from "./refusal.ts";

const FAILURES: Readonly<Record<OriginFailure, Refusal>> = {
  unreachable: BAD_GATEWAY,
  timeout: GATEWAY_TIMEOUT,
};

/**
 * Forwards a request to the origin and returns its response. Bodies are streamed, and fields for one hop are removed. Without
 * an answer it is a 502, or a 504 after the timeout; a body that has begun is never cut off.
 *
 * @param onFailure called where the origin gave no answer, unless the client has gone
 */
export async function passOn(
  forwarded: Forwarded,
  onFailure: (failure: OriginFailure, error?: unknown) => void,
): Promise<Response> {
  const { request, decided } = forwarded;
  if (request.method === "TRACE") return finish(refusal(TRACE), decided, request);
  const outcome = await forward(forwarded);
  switch (outcome.kind) {
    case "sent":
      return outcome.response;
    case "answered":
      return finish(outcome.response, decided, request);
    case "gone": {
      const gone = { method: request.method, signal: { aborted: true } };
      return finish(refusal(BAD_GATEWAY), decided, gone);
    }
    default:
      onFailure(outcome.kind, outcome.error);
      return finish(refusal(FAILURES[outcome.kind]), decided, request);
  }
}

/** Adds a decision's fields to the answer to its request, which is settled when that has been sent. */
function finish(
  response: Response,
  decided: Decided | undefined,
  request: { readonly method: string; readonly signal: Pick<AbortSignal, "aborted"> },
): Response {
  if (!decided) return response;
  const { decision, settlement } = decided;
  const sent = settlement?.after(response, request) ?? response;
  // One that switches protocols is the origin's own: its fields are fixed, and it has no use for others.
  if (sent.status !== 101) appendFieldsTo(sent.headers, decision);
  return sent;
}
