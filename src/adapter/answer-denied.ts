import type { Decision } from "../decide/decision.ts";
import { addMissingFields } from "../decide/present.ts";
import type { RequestOptions } from "./request-options.ts";

/** The answer to a denied request: the response of `onDenied` with the decision's fields, else the decision's own. */
export function answerDenied<Context>(
  { onDenied }: Pick<RequestOptions<Context>, "onDenied">,
  context: Context,
  decision: Decision,
): Response | Promise<Response> {
  return onDenied ? ownAnswer(onDenied(context, decision), decision) : decision.response();
}

async function ownAnswer(
  answer: Response | Promise<Response>,
  decision: Decision,
): Promise<Response> {
  const own = await answer;
  // Untyped code may return nothing.
  return own ? addMissingFields(own, decision) : decision.response();
}

/** Ends a request whose client has gone. The status, which is nginx's for this, is for logs: the answer reaches no client. */
export function goneResponse(): Response {
  return new Response(null, { status: 499 });
}
