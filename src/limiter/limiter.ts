import { byText } from "../decide/identify.ts";
import { createContext } from "../decide/limiter-context.ts";
import type { ReservingLimiter, Reserve } from "../decide/limiter.ts";
import { createPath, operationsOf } from "../decide/operations.ts";
import type { Decide, Step } from "../decide/step.ts";
import type { Features } from "../features/features.ts";
import { TidegateError } from "../options/errors.ts";
import { createLocalUnits } from "../outage/local-units.ts";
import { takeTogether } from "../store/decide-together.ts";
import type { Store } from "../store/store.ts";
import type { LimiterSettings } from "./settings.ts";

/** Makes a limiter from checked settings and a store that answers or fails in time. */
export function buildLimiter(
  store: Store,
  settings: LimiterSettings,
  features: Features,
): ReservingLimiter {
  const parts = {
    units: createLocalUnits(),
    slots: features.slots?.create(),
    together: features.roles?.together ?? takeTogether,
  };
  const identifyBy = features.dimensions?.identifyBy ?? byText;
  const steps = { plans: { steps: withoutPlans }, ...features };
  const core = createPath(createContext(store, settings, parts), steps, identifyBy);
  return { ...operationsOf(core), ...(features.holds?.operations(core) ?? WITHOUT_HOLDS) };
}

/** Without plans, a `plan` must fail: a plan without effect would be a surprise. */
function withoutPlans(): Step<Decide> {
  return (next) => (asked) => {
    if (asked.plan === undefined) return next(asked);
    throw new TidegateError("ERR_PLAN", "The limiter has no plans: give it plans: plans({ ... }).");
  };
}

const WITHOUT_HOLDS: Reserve = {
  reserve: () =>
    Promise.reject(
      new TidegateError(
        "ERR_HOLD",
        "reserve() needs a policy that is a concurrency(), or has refundable: refundable() or counts: failures().",
      ),
    ),
};
