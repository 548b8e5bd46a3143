import { waitInWords } from "../runtime/wait-in-words.ts";
import { decisionFields, type Fields, type HeaderOptions } from "./fields.ts";
import { denies, type Outcome } from "./outcome.ts";

/** An RFC 9457 problem; `violated-policies` is the extension that the rate limit draft registers. */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly "violated-policies"?: readonly string[];
}

const REGISTRY = "https://iana.org/assignments/http-problem-types#";

/** A problem as a response. It describes this moment only, so nothing may store it. */
export function problemResponse(problem: Problem, fields: Fields = {}): Response {
  fields["Content-Type"] = "application/problem+json";
  fields["Cache-Control"] = "no-store";
  return new Response(JSON.stringify(problem), { status: problem.status, headers: fields });
}

/** A decision as a response; an allowed one has no body. The parameters are those of `decisionFields`. */
export function decisionResponse(
  outcome: Outcome,
  options: HeaderOptions,
  draw: () => number,
): Response {
  const { reason, status, policies } = outcome;
  const fields = decisionFields(outcome, options, draw);
  if (status === 200) {
    fields["Cache-Control"] = "no-store";
    return new Response(null, { headers: fields });
  }
  if (status === 403) {
    const detail = "Requests from this client are not accepted.";
    return problemResponse({ type: "about:blank", title: "Forbidden", status, detail }, fields);
  }
  const [type, title, cause] =
    status === 503
      ? [
          "temporary-reduced-capacity",
          "Temporary Reduced Capacity",
          "The service cannot check its limits right now.",
        ]
      : ["quota-exceeded", "Quota Exceeded", "The request quota is used up."];
  const detail =
    reason === "cost-exceeds-limit"
      ? "This request costs more than its limit allows at any time."
      : `${cause} Try again in ${waitInWords(Number(fields["Retry-After"]))}.`;
  const violated = policies
    .filter(({ advertise }, i) => advertise && denies(outcome, i))
    .map(({ name }) => name);
  return problemResponse(
    { type: REGISTRY + type, title, status, detail, "violated-policies": violated },
    fields,
  );
}
