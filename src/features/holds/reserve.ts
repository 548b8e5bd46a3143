import type { Reserve } from "../../decide/hold.ts";
import { checkCallOptions, CALL_OPTIONS } from "../../decide/identify.ts";
import type { LimiterPath } from "../../decide/limiter-context.ts";
import { createHold } from "./create-hold.ts";
import { createGiveBack } from "./give-back.ts";
import { ttlUsOf } from "./hold-ttl.ts";

/** Adds `reserve()`: a verdict reports the counter and the time, which a hold needs to give units back. */
export function withReserve(core: LimiterPath): Reserve {
  const { context, decide, ask, show } = core;
  const parts = {
    policies: context.settings.policies,
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
  };
}
