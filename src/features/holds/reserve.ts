import type { Reserve } from "../../decide/hold.ts";
import { checkCallOptions, CALL_OPTIONS } from "../../decide/identify.ts";
import type { LimiterPath } from "../../decide/limiter-context.ts";
import type { Limiter } from "../../decide/limiter-types.ts";
import { TidegateError } from "../../options/errors.ts";
import { createHold } from "./create-hold.ts";
import { createGiveBack, hasSlots } from "./give-back.ts";
import { ttlUsOf } from "./hold-ttl.ts";

/**
 * Adds `reserve()`: a verdict reports the counter and the time, which a hold needs to give units back. Slots need holds, so `limit()`
 * refuses to take them.
 */
export function withReserve(core: LimiterPath): Reserve & Partial<Pick<Limiter, "limit">> {
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
    ...(slotted && { limit: () => Promise.reject(needsHold(slotted.name)) }),
  };
}

function needsHold(name: string): TidegateError {
  return new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives slots to holds, which end: use reserve(), and settle() or release() of its hold.`,
  );
}
