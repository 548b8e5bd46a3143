import type { Refundable } from "../../algorithms/common-options.ts";
import type { Reserve } from "../../decide/hold.ts";
import { CALL_OPTIONS, checkCallOptions } from "../../decide/identify.ts";
import type { LimiterPath } from "../../decide/limiter-context.ts";
import type { Limiter } from "../../decide/limiter-types.ts";
import { TidegateError } from "../../options/errors.ts";
import type { Faults } from "../../options/faults.ts";
import {
  NO_REFUND_OF_FAILURES,
  REFUND_OF_DENIALS,
  REFUNDABLE,
  STORE_WITHOUT_REFUND,
} from "../../options/messages.ts";
import { optionValue } from "../../options/option-value.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import { HOLDS } from "../../store/redis/feature-calls.ts";
import type { Store } from "../../store/store.ts";
import { answerCounted } from "./answer-counted.ts";
import { createHold, ttlUsOf, withoutHold } from "./create-hold.ts";
import { compileFailures, refuseResponses } from "./failures.ts";
import { createGiveBack, hasSlots } from "./give-back.ts";
import { needsHold, settlementOf } from "./settle-response.ts";

/**
 * `reserve()`, whose holds are settled, give units back, and keep slots of `concurrency()`. In front of an origin,
 * responses settle their requests' reservations.
 */
export const holds = {
  scripts: { holds: HOLDS },
  checkPolicy: checkRefundable,
  checkStore,
  operations: withReserve,
  answerCounted,
  withoutHold,
  needsHold,
  compileFailures,
  refuseResponses,
  settlementOf,
};

/**
 * Has holds give back units that they reserved and did not use, see `reserve()`. Redis decides each denial of the policy, because
 * such units can end one early. Cannot be combined with a lease or `denials()`.
 *
 * @example
 * slidingWindowCounter({ name: "tokens", limit: 100_000, window: "1m", refundable: refundable() })
 */
export function refundable(): Refundable {
  return optionValue("refundable", { refundable: true }, { holds });
}

function checkRefundable({ counts, refundable }: Policy, path: string, faults: Faults): void {
  if (refundable === undefined) return;
  const at = `${path}.refundable`;
  if (typeof refundable !== "boolean") {
    faults.add(at, refundable, REFUNDABLE);
  } else if (refundable && counts === "denials") {
    faults.add(at, refundable, REFUND_OF_DENIALS);
  } else if (!refundable && counts === "failures") {
    faults.add(at, refundable, NO_REFUND_OF_FAILURES);
  }
}

/** Rejects a custom store that cannot give units back, if a policy needs it. */
function checkStore(
  policies: readonly CompiledPolicy[],
  { refund }: Pick<Store, "refund">,
  faults: Faults,
): void {
  const first = policies.findIndex(({ refundable }) => refundable);
  if (first === -1 || typeof refund === "function") return;
  const [option, value] = policies[first]!.countsFailures
    ? ["counts", "failures"]
    : ["refundable", true];
  faults.add(`policies[${first}].${option}`, value, STORE_WITHOUT_REFUND);
}

/**
 * Adds `reserve()`: a verdict reports the counter and the time, which a hold needs to give units back. Slots need holds, so `limit()`
 * refuses to take them.
 */
function withReserve(core: LimiterPath): Reserve & Partial<Pick<Limiter, "limit">> {
  const { context, decide, ask, show } = core;
  const { policies } = context.settings;
  const slotted = policies.find(hasSlots);
  const parts = {
    policies,
    decide,
    giveBack: createGiveBack(context),
    now: context.now,
  };

  return {
    async reserve(identity, options) {
      checkCallOptions(options, [...CALL_OPTIONS, "ttl"]);
      const { ttl, ...others } = options ?? {};
      const slot = { id: crypto.randomUUID(), ttlUs: ttlUsOf(ttl) };
      const verdict = await ask("consume", identity, others, slot);
      const verdicts = verdict.status === 200 ? verdict.groups : [];
      return createHold(show(verdict), { slot: verdict.slot ?? slot, verdicts }, parts);
    },
    ...(slotted && { limit: () => Promise.reject(limitOfSlots(slotted.name)) }),
  };
}

function limitOfSlots(name: string): TidegateError {
  return new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives slots to holds, which end: use reserve(), and settle() or release() of its hold.`,
  );
}
