import type { FailureVerdict } from "../../../src/algorithms/common-options.ts";
import type { Settlement } from "../../../src/decide/hold.ts";
import type { Decision } from "../../../src/decision/decision.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { type Call, isDecided, type Isolate } from "../call.ts";
import { count, type Invariant, type Observed } from "./invariant.ts";
import { createLedger, type Ledger, type Taken } from "./ledger.ts";

/** An isolate's count of one policy and partition when it counts alone. */
interface LocalCount {
  /** The units that it admitted alone. */
  own: Ledger;
  taken: Taken[];
  /** The run of the script that last said how much is used up, how much, and until when, by the isolate's clock. */
  execution: number;
  used: number;
  usedUntil: number;
}

/**
 * Without the store each policy decides as its verdict says. An isolate's own count stays within the policy's own promise, in the
 * isolate's time; also together with the units that it has seen the store count.
 */
export function honouredVerdicts(observed: Observed): Invariant {
  const { scenario, scheduler, statistics, violated } = observed;
  const { policies, onFailure } = scenario.settings;
  const verdicts = policies.map((policy) => policy.onFailure ?? onFailure);
  const closed = verdicts.includes("closed");
  const alone = policies.map((policy, i) => shareOf(policy, verdicts[i]!));
  const counts = new Map<string, LocalCount>();
  /** Isolates whose clock went back: earlier counts may then last for a window longer. */
  const wentBack = new Set<number>();
  /** Where something came back that the isolate had forgotten: it cannot know. */
  const unsure = new Set<string>();
  /** When each question left, and when an isolate last forgot a partition; virtual times. */
  const sentAt = new WeakMap<Call, number>();
  const forgotAt = new Map<string, number>();
  /** The last run of the script before the server's clock stepped: the order of answers around it may not be seen. */
  let steppedAfter = -1;
  let executions = 0;

  const placeOf = ({ isolate, identity }: Call) => `${isolate.number} ${identity}`;

  function countOf(call: Call, policy: number): LocalCount {
    const place = `${placeOf(call)} ${policy}`;
    let found = counts.get(place);
    if (!found) counts.set(place, (found = nothing(policy)));
    return found;
  }

  function nothing(policy: number): LocalCount {
    const own = createLedger(alone[policy]!, "begun");
    return { own, taken: [], execution: 0, used: 0, usedUntil: -Infinity };
  }

  /** The times of the isolate's clocks: as they run, and as they were set. */
  function timeIn({ clock }: Isolate): { readonly at: number; readonly clock: number } {
    const shown = clock.wall() * 1000;
    return { at: shown - clock.stepped, clock: shown };
  }

  function rowFault(call: Call, decision: Decision, i: number): string | undefined {
    const { allowed, remaining, limit } = decision.policies[i]!;
    if (verdicts[i] === "open") return allowed && remaining === limit ? undefined : "open denies";
    if (verdicts[i] === "closed") return allowed ? "closed admits" : undefined;
    const { own, used } = countOf(call, i);
    if (remaining > alone[i]!.limit) return "local has more than its share";
    // After a charge a row says whether the charge had room.
    const units = own.total() + call.cost;
    const room = units <= alone[i]!.limit && units + used <= limit;
    const isSure = !wentBack.has(call.isolate.number) && !unsure.has(placeOf(call));
    return room && !allowed && isSure ? "local denies what it has room for" : undefined;
  }

  function take(call: Call): void {
    const { settles, method } = call;
    // A settlement that the store did not take charges its excess here.
    const units = settles ? call.cost - settles.call.cost : call.cost;
    const charged = method === "charge" || settles !== undefined;
    const taken = { ...timeIn(call.isolate), units, charged, execution: call.number };
    for (const [i, verdict] of verdicts.entries()) {
      if (verdict === "open" || verdict === "closed") continue;
      if (verdict !== "local") count(statistics, "counted with a share");
      const local = countOf(call, i);
      local.taken.push(taken);
      const excess = local.own.take(taken) ?? beyondLimit(local, taken, policies[i]!);
      if (local.used > 0) count(statistics, "counted on from the store's");
      if (excess && !unsure.has(placeOf(call))) {
        violated("fallback", `${policies[i]!.algorithm} locally: ${excess}`);
      }
    }
  }

  /** More units admitted alone than the store's last answer left? */
  function beyondLimit(
    { own, used, usedUntil }: LocalCount,
    { clock, charged }: Taken,
    { limit }: CompiledPolicy,
  ): string | undefined {
    const units = used + own.inWindow();
    if (charged || clock >= usedUntil || units <= limit) return undefined;
    return `${units} units with those of the store, where ${limit} may be`;
  }

  /** Units taken here go back to here. */
  function takeBack(call: Call, more: number): void {
    const { number } = call.settles!.call;
    for (const [i, verdict] of verdicts.entries()) {
      if (verdict === "open" || verdict === "closed") continue;
      const local = countOf(call, i);
      if (!local.taken.some(({ execution }) => execution === number)) unsure.add(placeOf(call));
      local.taken = local.taken.map((taken) =>
        taken.execution === number ? { ...taken, units: taken.units + more } : taken,
      );
      local.own.giveBack(number, -more, -more);
      count(statistics, "give-back of an isolate");
    }
  }

  function settled(call: Call, { status, error }: Settlement): void {
    const { call: reserved } = call.settles!;
    const more = call.cost - reserved.cost;
    if (more > 0 && status !== "settled") take(call);
    if (more < 0 && reserved.answer!.decision!.error) takeBack(call, more);
    const [execution] = call.executions;
    if (more > 0 && !error && execution) learn(call, execution.rows);
  }

  /** The newest answer of the store that came back says which units are used up, even if an older one comes later. */
  function learn(call: Call, rows: readonly { remaining: number; resetAfterUs: number }[]): void {
    const { number } = call.executions[0]!;
    if (sentAt.get(call)! <= (forgotAt.get(placeOf(call)) ?? -1)) return;
    for (const [i, { remaining, resetAfterUs }] of rows.entries()) {
      const local = countOf(call, i);
      const used = policies[i]!.limit - remaining;
      const between = [local.execution, number].toSorted((a, b) => a - b) as [number, number];
      const unsure = local.execution > 0 && between[0] <= steppedAfter && steppedAfter < between[1];
      if (unsure) {
        local.used = Math.max(local.used, used);
        local.usedUntil = -Infinity;
      } else if (number > local.execution) {
        local.used = used;
        local.usedUntil = timeIn(call.isolate).clock + resetAfterUs;
      }
      local.execution = Math.max(local.execution, number);
    }
  }

  return {
    set({ number, clock }, by) {
      if (by < 0) wentBack.add(number);
      const at = clock.wall() * 1000 - clock.stepped;
      for (const [place, local] of counts) {
        if (!place.startsWith(`${number} `)) continue;
        local.own.step(by, at);
        // Units of either count may come back then.
        local.usedUntil = -Infinity;
      }
    },

    stepped() {
      steppedAfter = executions;
    },
    executed({ number }) {
      executions = number;
    },

    sending(call) {
      if (call.commands === 1) sentAt.set(call, scheduler.now);
    },

    called(call) {
      // The count here is forgotten at once, whether or not the store confirms.
      if (call.method !== "reset") return;
      forget(call);
    },

    answered(call, { decision, error, settlement }) {
      if (settlement) return settled(call, settlement);
      if (call.method === "reset" && !error) forget(call);
      if (decision?.reason === "allowed" || decision?.reason === "limited")
        learn(
          call,
          decision.policies.map(({ remaining, resetAfterMs }) => ({
            remaining,
            resetAfterUs: (resetAfterMs ?? 0) * 1000,
          })),
        );
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
      const takes = call.method === "charge" || (isDecided(call.method) && decision.allowed);
      if (takes && call.cost > 0) take(call);
    },
  };

  function forget(call: Call): void {
    forgotAt.set(placeOf(call), scheduler.now);
    for (const i of policies.keys()) counts.set(`${placeOf(call)} ${i}`, nothing(i));
  }
}

/** The part of a policy that an isolate alone keeps, by the verdict; shares here are one of a whole number of parts. */
function shareOf(policy: CompiledPolicy, verdict: FailureVerdict): CompiledPolicy {
  if (typeof verdict !== "object") return policy;
  const parts = Math.round(1 / verdict.local.share);
  return { ...policy, limit: Math.ceil(policy.limit / parts) };
}
