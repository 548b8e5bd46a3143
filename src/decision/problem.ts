import { decisionFields, type Fields, type HeaderOptions } from "./fields.ts";
import type { Outcome } from "./outcome.ts";

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

/** A decision as a response; an allowed one has no body. */
export function decisionResponse(outcome: Outcome, options: HeaderOptions): Response {
  const { reason, status, policies, rows } = outcome;
  const fields = decisionFields(outcome, options);
  if (status === 200) {
    fields["Cache-Control"] = "no-store";
    return new Response(null, { headers: fields });
  }
  const unavailable = status === 503;
  const wait = ` Try again in ${fields["Retry-After"]} s.`;
  return problemResponse(
    {
      type: REGISTRY + (unavailable ? "temporary-reduced-capacity" : "quota-exceeded"),
      title: unavailable ? "Temporary Reduced Capacity" : "Quota Exceeded",
      status,
      detail: unavailable
        ? `The service cannot check its limits right now.${wait}`
        : reason === "cost-exceeds-limit"
          ? "This request costs more than its limit allows at any time."
          : `The request quota is used up.${wait}`,
      "violated-policies": policies.flatMap(({ name }, i) => (rows[i]!.allowed ? [] : name)),
    },
    fields,
  );
}
