import { wholeUnits } from "../../../src/algorithms/model.ts";
import type { Decision } from "../../../src/decide/decision.ts";
import type { Settlement } from "../../../src/decide/hold.ts";
import { type Call, isDecided } from "../call.ts";
import { count, type Invariant, type Observed } from "./invariant.ts";

/** A decision says what happened: where it comes from, with the store's own numbers, or why the store had no say. */
export function trueReasons({ scenario, scheduler, statistics, violated }: Observed): Invariant {
  const smallestLimit = Math.min(...scenario.settings.policies.map(({ limit }) => limit));

  /** The fault of a decision, by its reason. */
  function fault(call: Call, decision: Decision): string | undefined {
    const { reason, allowed, status } = decision;
    switch (reason) {
      case "allowed":
      case "limited": {
        if (call.received !== "reply" || call.executions.length !== 1) return "no reply says so";
        if (!sameRows(call, decision)) return "not the rows of the reply";
        const everyRow = decision.policies.every((policy) => policy.allowed);
        const agree = allowed === everyRow && allowed === (reason === "allowed");
        return agree && status === (allowed ? 200 : 429) ? undefined : "it contradicts itself";
      }
      case "cached-denial":
        if (!isDecided(call.method) || call.commands > 0) return "the store was asked";
        if (decision.policies.every((policy) => policy.allowed)) return "no policy denies";
        return !allowed && status === 429 ? undefined : "it contradicts itself";
      case "cost-exceeds-limit":
        if (call.commands > 0 || scheduler.now > call.calledAt) return "the store was asked";
        if (call.method === "charge" || call.cost <= smallestLimit) return "the cost fits";
        return !allowed && status === 429 && decision.retryAfterMs === Infinity
          ? undefined
          : "it contradicts itself";
      case "exempt":
      case "blocked":
        return "there are no lists";
      case "region-denial":
        return "there is no region";
      case "optimistic":
        return "no policy has the option";
      case "store-unavailable":
        if (!decision.error) return "no error";
        return failureFault(call, decision.error.code);
    }
  }

  /** The fault of a failure, by its code. */
  function failureFault(call: Call, code: string): string | undefined {
    if (code === "ERR_STORE_SUSPENDED")
      return call.commands > 0 ? "the store was asked" : undefined;
    if (code === "ERR_STORE_TIMEOUT" && scheduler.now === call.deadline) return undefined;
    return call.received === code ? undefined : `what came back was ${call.received}`;
  }

  /** The fault of a reset that was confirmed. */
  function confirmationFault({ received, executions }: Call): string | undefined {
    return received === "reply" && executions.length === 1 ? undefined : "no reply says so";
  }

  /** The fault of a hold's settlement. */
  function settlementFault(call: Call, settlement: Settlement): string | undefined {
    const { status, returned, charged, error } = settlement;
    const sent = call.commands > 0;
    const before = call.settles!.call.answer!.decision!.error;
    if (status === "not-sent") {
      return !sent && error?.code === "ERR_STORE_SUSPENDED" ? undefined : "the store was asked";
    }
    if (status === "unknown") {
      if (!sent) return error && error === before ? undefined : "the store was not asked";
      return failureFault(call, error!.code);
    }
    if (!sent) return undefined;
    const [execution] = call.executions;
    if (call.received !== "reply" || call.executions.length !== 1) return "no reply says so";
    const { policies } = scenario.settings;
    for (const [i, { name, parameters }] of policies.entries()) {
      const given = wholeUnits(execution!.given[i] ?? 0, parameters);
      if ((returned[name] ?? 0) !== given) return "not what came back";
      const more = execution!.operation === "charge" ? execution!.costs[i]! : 0;
      if ((charged[name] ?? 0) !== more) return "not what was charged";
    }
    return undefined;
  }

  return {
    answered(call, { decision, error, settlement }) {
      if (settlement) {
        count(statistics, settlement.status);
        const wrong = settlementFault(call, settlement);
        if (wrong) violated("reasons", `${settlement.status}: ${wrong}`);
        return;
      }
      const what = decision?.reason ?? error?.code ?? "reset";
      count(statistics, what);
      if (decision?.error) count(statistics, decision.error.code);
      const wrong = decision
        ? fault(call, decision)
        : error
          ? failureFault(call, error.code)
          : confirmationFault(call);
      if (wrong) violated("reasons", `${what}: ${wrong}`);
    },
  };
}

/** Whether a decision carries the server's own numbers. */
function sameRows({ executions }: Call, { policies }: Decision): boolean {
  const { rows } = executions[0]!;
  return policies.every((policy, i) => {
    const { allowed, remaining, retryAfterUs, resetAfterUs } = rows[i]!;
    return (
      policy.allowed === allowed &&
      policy.remaining === remaining &&
      policy.retryAfterMs === retryAfterUs / 1000 &&
      policy.resetAfterMs === resetAfterUs / 1000
    );
  });
}
