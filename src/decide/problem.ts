import { waitInWords } from "../runtime/wait-in-words.ts";
import { type HeaderOptions, retryAfter, setFields } from "./header-fields.ts";
import { denies, type Outcome, type Problem } from "./outcome.ts";

const REGISTRY = "https://iana.org/assignments/http-problem-types#";

/** A problem as a response. */
export function problemResponse(problem: Problem): Response {
  return respond(problem.status, JSON.stringify(problem));
}

/** A problem describes this moment only, so nothing may store it. */
function respond(status: number, text: string): Response {
  const response = new Response(text, { status });
  response.headers.set("Content-Type", "application/problem+json");
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/** A decision as a response; an allowed one has no body. The parameters are those of `setFields`. */
export function decisionResponse(
  outcome: Outcome,
  options: HeaderOptions,
  random: () => number,
): Response {
  const response = withoutFields(outcome, random);
  setFields(response.headers, outcome, options, random);
  return response;
}

function withoutFields(outcome: Outcome, random: () => number): Response {
  const { status, problem } = outcome;
  if (status === 200) return new Response(null, { headers: { "Cache-Control": "no-store" } });
  return problem ? problemResponse(problem) : respond(status, denialText(outcome, status, random));
}

/**
 * The problem of a denial; `violated-policies` is the extension that the rate limit draft registers. It is joined from its
 * parts, none of which needs an escape, because `JSON.stringify()` takes ten times as long.
 */
function denialText(outcome: Outcome, status: number, random: () => number): string {
  const { reason, policies, rows } = outcome;
  const neverFits = reason === "cost-exceeds-limit";
  let violated = "";
  let left = Infinity;
  for (let i = 0; i < policies.length; i++) {
    const { advertise, limit, name } = policies[i]!;
    if (!advertise || !denies(outcome, i)) continue;
    violated += `${violated && ","}"${name}"`;
    left = Math.min(left, neverFits ? limit : rows[i]!.remaining);
  }
  const [type, title, cause] =
    status === 503
      ? [
          "temporary-reduced-capacity",
          "Temporary Reduced Capacity",
          "The service cannot check its limits right now.",
        ]
      : [
          "quota-exceeded",
          "Quota Exceeded",
          violated && left > 0
            ? `This request costs more than the ${left} units left.`
            : "The request quota is used up.",
        ];
  const detail = neverFits
    ? `This request costs more than its limit${violated && ` of ${left} units`}.`
    : `${cause} Try again in ${waitInWords(retryAfter(outcome, random))}.`;
  return `{"type":"${REGISTRY}${type}","title":"${title}","status":${status},"detail":"${detail}","violated-policies":[${violated}]}`;
}
