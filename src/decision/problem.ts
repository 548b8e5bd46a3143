import type { Decision } from "./decision.ts";

/** An RFC 9457 problem; `violated-policies` is the extension that the rate limit draft registers. */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly "violated-policies"?: readonly string[];
}

const REGISTRY = "https://iana.org/assignments/http-problem-types#";

/** A problem as a response. It says what holds at this moment, so nothing may store it. */
export function problemResponse(problem: Problem, headers: Headers = new Headers()): Response {
  headers.set("Content-Type", "application/problem+json");
  headers.set("Cache-Control", "no-store");
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

/** A decision as a response; an allowed one has nothing to say but its fields. */
export function decisionResponse(decision: Decision): Response {
  if (decision.allowed) {
    const allowed = new Response(null, { headers: decision.headers() });
    allowed.headers.set("Cache-Control", "no-store");
    return allowed;
  }
  const violated = decision.policies.filter(({ allowed }) => !allowed).map(({ name }) => name);
  const headers = decision.headers();
  const seconds = headers.get("Retry-After");
  return problemResponse(
    decision.status === 503
      ? {
          type: `${REGISTRY}temporary-reduced-capacity`,
          title: "Temporary Reduced Capacity",
          status: 503,
          detail: `The service cannot check its limits right now. Try again in ${seconds} s.`,
          "violated-policies": violated,
        }
      : {
          type: `${REGISTRY}quota-exceeded`,
          title: "Quota Exceeded",
          status: 429,
          detail:
            decision.reason === "cost-exceeds-limit"
              ? "This request costs more than its limit allows at any time."
              : `The request quota is used up. Try again in ${seconds} s.`,
          "violated-policies": violated,
        },
    headers,
  );
}
