import type { Decision } from "../decision/decision.ts";
import { addMissingFields } from "./append-fields.ts";
import type { RequestOptions } from "./request-options.ts";

/** The answer to a denied request: the response of `onDenied` with the decision's fields, else the decision's own. */
export async function answerDenied<Context>(
  { onDenied }: Pick<RequestOptions<Context>, "onDenied">,
  context: Context,
  decision: Decision,
): Promise<Response> {
  const answer = await onDenied?.(context, decision);
  // Untyped code may return nothing.
  return answer ? addMissingFields(answer, decision.headers()) : decision.response();
}
