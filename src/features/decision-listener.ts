import type { Decision } from "../decide/decision.ts";
import type { Reserve } from "../decide/hold.ts";
import type { Limiter } from "../decide/limiter-types.ts";
import type { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { report } from "../runtime/log.ts";

/** The request that a decision is about. */
export interface DecisionInfo {
  readonly operation: "limit" | "reserve" | "charge" | "peek";
  /**
   * The client; `undefined` if a list of a middleware decided first. A middleware's identities have hashes of header
   * values, cookies and the like.
   */
  readonly identity: string | Readonly<Record<string, string | undefined>> | undefined;
}

/** Called with each decision. */
export type DecisionListener = (decision: Decision, info: DecisionInfo) => void;

/** Checks a listener, and wraps it so that it cannot disturb a decision; `undefined` without one. */
export function compileListener(
  onDecision: DecisionListener | undefined,
  faults: Faults,
): DecisionListener | undefined {
  if (onDecision === undefined) return undefined;
  if (typeof onDecision !== "function") {
    faults.add("onDecision", onDecision, FUNCTION, "takes a decision");
    return undefined;
  }
  let hasFailed = false;
  const fail = (error: unknown) => {
    if (!hasFailed) report(`onDecision failed: ${String(error)}`);
    hasFailed = true;
  };

  return function listen(decision, info) {
    try {
      const told: unknown = onDecision(decision, info);
      // An untyped listener may be asynchronous, and its rejection would be unhandled.
      if (told instanceof Promise) told.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** A limiter that reports each of its decisions to a listener. */
export function withListener<Given extends Limiter & Partial<Reserve>>(
  limiter: Given,
  listener: DecisionListener,
): Given {
  const { reserve } = limiter;
  return {
    ...limiter,
    async limit(identity, options) {
      const decision = await limiter.limit(identity, options);
      listener(decision, { operation: "limit", identity });
      return decision;
    },
    async peek(identity, options) {
      const decision = await limiter.peek(identity, options);
      listener(decision, { operation: "peek", identity });
      return decision;
    },
    async charge(identity, cost, options) {
      const decision = await limiter.charge(identity, cost, options);
      listener(decision, { operation: "charge", identity });
      return decision;
    },
    ...(reserve && {
      async reserve(identity, options) {
        const hold = await reserve(identity, options);
        listener(hold, { operation: "reserve", identity });
        return hold;
      },
    }),
  };
}
