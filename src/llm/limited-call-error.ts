import type { Decision } from "../decide/decision.ts";
import { waitInWords } from "../runtime/wait-in-words.ts";

/** The AI SDK waits no longer than this for a provider; then it tries again too early. */
const MAX_WAIT_MS = 60_000;

/**
 * A call of a model that a limiter has denied. The AI SDK takes it for an answer of the provider with the status 429
 * (`APICallError.isInstance(error)`), so it waits as long as `Retry-After` says and tries again.
 */
export class LimitedCallError extends Error {
  override readonly name = "LimitedCallError";
  readonly decision: Decision;
  readonly url = "";
  readonly requestBodyValues = {};
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** Whether it is worth to try again. */
  readonly isRetryable: boolean;

  constructor(decision: Decision) {
    const { policies, retryAfterMs, status } = decision;
    const left = Math.min(...policies.flatMap((each) => (each.allowed ? [] : each.remaining)));
    super(
      retryAfterMs === Infinity
        ? "The call costs more than its limit allows at any time."
        : `${left > 0 ? `The call may cost more than the ${left} units left.` : "The limit is reached."} Try again in ${waitInWords(Math.ceil(retryAfterMs / 1000))}.`,
    );
    this.decision = decision;
    this.statusCode = status;
    this.responseHeaders = Object.fromEntries(decision.headers());
    this.isRetryable = retryAfterMs < MAX_WAIT_MS;
  }
}

// By these the AI SDK knows its errors, whichever copy of it made them.
for (const name of ["vercel.ai.error", "vercel.ai.error.AI_APICallError"]) {
  Object.defineProperty(LimitedCallError.prototype, Symbol.for(name), { value: true });
}
