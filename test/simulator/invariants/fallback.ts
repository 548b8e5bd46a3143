import type { Decision } from "../../../src/limiter/decision.ts";
import type { Call } from "../call.ts";
import { type Invariant, keysOf, type Observed } from "./invariant.ts";
import { createLedger, type Ledger } from "./ledger.ts";

/**
 * Without the store each policy decides as its verdict says. What an isolate counts alone stays within the policy's
 * own promise, in the isolate's time.
 */
export function honouredVerdicts({ scenario, violated }: Observed): Invariant {
  const { policies, onFailure } = scenario.settings;
  const verdicts = policies.map((policy) => policy.onFailure ?? onFailure);
  const closed = verdicts.includes("closed");
  const ledgers = new Map<string, Ledger>();
  /** Isolates whose clock went back: what they counted before may then last for a window longer. */
  const wentBack = new Set<number>();

  function ledgerOf({ isolate, identity }: Call, policy: number): Ledger {
    const place = `${isolate.number} ${keysOf(scenario, identity)[policy]}`;
    let ledger = ledgers.get(place);
    if (!ledger) ledgers.set(place, (ledger = createLedger(policies[policy]!)));
    return ledger;
  }

  function rowFault(call: Call, decision: Decision, i: number): string | undefined {
    const { allowed, remaining, limit } = decision.policies[i]!;
    if (verdicts[i] === "open") return allowed && remaining === limit ? undefined : "open denies";
    if (verdicts[i] === "closed") return allowed ? "closed admits" : undefined;
    const ledger = ledgerOf(call, i);
    // After a charge a row says whether the charge had room.
    const room = ledger.total() + call.cost <= limit && !wentBack.has(call.isolate.number);
    return room && !allowed ? "local denies what it has room for" : undefined;
  }

  function take(call: Call): void {
    const clock = call.isolate.clock.wall() * 1000;
    const at = clock - call.isolate.clock.stepped;
    const charged = call.method === "charge";
    for (const [i, verdict] of verdicts.entries()) {
      if (verdict !== "local") continue;
      const excess = ledgerOf(call, i).take({ at, clock, units: call.cost, charged });
      if (excess) violated("fallback", `${policies[i]!.algorithm} locally: ${excess}`);
    }
  }

  return {
    set({ number, clock }, by) {
      if (by < 0) wentBack.add(number);
      for (const [place, ledger] of ledgers) {
        const at = clock.wall() * 1000 - clock.stepped;
        if (place.startsWith(`${number} `)) ledger.step(by, at);
      }
    },

    called(call) {
      // What is counted here is forgotten at once, whether or not the store confirms.
      if (call.method !== "reset") return;
      for (const i of policies.keys()) ledgerOf(call, i).lose();
    },

    answered(call, { decision }) {
      if (decision?.reason !== "store-unavailable") return;
      for (const i of policies.keys()) {
        const fault = rowFault(call, decision, i);
        if (fault) violated("fallback", fault);
      }
      const everyRow = decision.policies.every(({ allowed }) => allowed);
      const status = closed ? 503 : everyRow ? 200 : 429;
      if (decision.status !== status || decision.allowed !== (status === 200)) {
        violated("fallback", `status ${decision.status} instead of ${status}`);
      }
      const takes = call.method === "charge" || (call.method === "limit" && decision.allowed);
      if (takes && call.cost > 0) take(call);
    },
  };
}
