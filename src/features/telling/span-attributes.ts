import { type Decision, outcomeOf } from "../../decision/decision.ts";
import { firstDenying } from "../../decision/outcome.ts";
import type { DecisionListener } from "./tell-decision.ts";

/** What OpenTelemetry's `trace` and Cloudflare's `tracing` have in common. */
export interface Tracing {
  getActiveSpan(): ActiveSpan | undefined;
}

export interface ActiveSpan {
  setAttribute(key: string, value: string | boolean): unknown;
  /** OpenTelemetry's: whether anybody will see what is set. */
  isRecording?(): boolean;
  /** Cloudflare's: the same. */
  readonly isTraced?: boolean;
}

/**
 * A listener that says on the active span how a request was decided: `rate_limit.decision`, `rate_limit.fail_open`, and
 * for a denial `rate_limit.rejected_by`, the policy's name. Where several limiters decide in one span, the last one says it.
 *
 * @param trace `trace` of `@opentelemetry/api`, or `tracing` of `cloudflare:workers`
 * @example
 * createLimiter({ policies: [daily], onDecision: spanAttributes(trace) });
 */
export function spanAttributes(trace: Tracing): DecisionListener {
  return function attribute(decision, { operation }) {
    // The others decide nothing about the request.
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

/** As the metrics call it. */
function wordFor({ allowed, reason }: Decision): string {
  if (reason === "exempt" || reason === "blocked") return reason;
  return allowed ? "allowed" : "denied";
}
