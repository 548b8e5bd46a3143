import { forward } from "#forward";

import { appendFieldsTo } from "../../decide/present.ts";
import { permitted } from "../route/cors.ts";
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
  const { request, decided, permission } = forwarded;
  /** An answer of the gateway's own. */
  const own = (response: Response, asked: AskedFor = request) =>
    permitted(finish(response, decided, asked), permission);

  if (request.method === "TRACE") return own(refusal(TRACE));
  const outcome = await forward(forwarded);
  switch (outcome.kind) {
    case "sent":
      return outcome.response;
    case "answered":
      return decided ? own(outcome.response) : outcome.response;
    case "gone":
      return own(refusal(BAD_GATEWAY), { method: request.method, signal: { aborted: true } });
    default:
      onFailure(outcome.kind, outcome.error);
      return own(refusal(FAILURES[outcome.kind]));
  }
}

/** The part of a request that its settlement reads. */
interface AskedFor {
  readonly method: string;
  readonly signal: Pick<AbortSignal, "aborted">;
}

/** Adds a decision's fields to the answer to its request, which is settled when that has been sent. */
function finish(response: Response, decided: Decided | undefined, request: AskedFor): Response {
  if (!decided) return response;
  const { decision, settlement } = decided;
  const sent = settlement?.after(response, request) ?? response;
  // One that switches protocols is the origin's own: its fields are fixed, and it has no use for others.
  if (sent.status !== 101) appendFieldsTo(sent.headers, decision);
  return sent;
}
