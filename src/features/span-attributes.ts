import type { Decision } from "../decide/decision.ts";
import { firstDenying } from "../decide/outcome.ts";
import { outcomeOf } from "../decide/present.ts";
import type { DecisionListener } from "./decision-listener.ts";

/** The common part of OpenTelemetry's `trace` and Cloudflare's `tracing`. */
export interface Tracing {
  getActiveSpan(): ActiveSpan | undefined;
}

/** The part of a span that gets the attributes. */
export interface ActiveSpan {
  setAttribute(key: string, value: string | boolean): unknown;
  /** OpenTelemetry: whether the span is recorded. */
  isRecording?(): boolean;
  /** Cloudflare: the same. */
  readonly isTraced?: boolean;
}

/**
 * A listener that sets attributes of the decision on the active span: `rate_limit.decision`, `rate_limit.fail_open`,
 * and for a denial `rate_limit.rejected_by`, the policy's name. If several limiters decide in one span, the last one
 * sets them.
 *
 * @param trace `trace` of `@opentelemetry/api`, or `tracing` of `cloudflare:workers`
 * @example
 * createLimiter({ policies: [daily], onDecision: spanAttributes(trace) });
 */
export function spanAttributes(trace: Tracing): DecisionListener {
  return function attribute(decision, { operation }) {
    // A peek or a charge does not decide a request.
    if (operation === "peek" || operation === "charge") return;
    const span = trace.getActiveSpan();
    if (!span || span.isTraced === false || span.isRecording?.() === false) return;
    const { allowed, reason } = decision;
    span.setAttribute("rate_limit.decision", wordFor(decision));
    span.setAttribute("rate_limit.fail_open", allowed && reason === "store-unavailable");
    const rejectedBy = allowed ? undefined : firstDenying(outcomeOf(decision));
    if (rejectedBy) span.setAttribute("rate_limit.rejected_by", rejectedBy.name);
  };
}

/** The metrics' name of the result. */
function wordFor({ allowed, reason }: Decision): string {
  if (reason === "exempt" || reason === "blocked") return reason;
  return allowed ? "allowed" : "denied";
}
