import { byText } from "../decide/identify.ts";
import { createKit } from "../decide/kit.ts";
import type { Limiter, Operations } from "../decide/limiter.ts";
import { createCore, operationsOf } from "../decide/operations.ts";
import type { Decide, Step } from "../decide/step.ts";
import { TidegateError } from "../errors/errors.ts";
import { takeTogether } from "../store/decide-together.ts";
import { createMemoryWith } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import type { Features } from "./features.ts";
import type { LimiterSettings } from "./settings.ts";

/** A limiter with these features: without `holds` it reserves nothing. */
export type LimiterOf<Has extends Features> = Has extends { readonly holds: object }
  ? Limiter
  : Operations;

/** Makes a limiter with these features from checked settings and a store that answers or fails in time. */
export function buildLimiter<Has extends Features>(
  store: Store,
  settings: LimiterSettings,
  features: Has,
): LimiterOf<Has> {
  const stepsOf = { plans: { steps: withoutPlans }, ...features };
  const memory = createMemoryWith(features.roles?.together ?? takeTogether);
  const identifyBy = features.dimensions?.identifyBy ?? byText;
  const core = createCore(createKit(store, settings, memory), stepsOf, identifyBy);
  return { ...operationsOf(core), ...features.holds?.operations(core) } as LimiterOf<Has>;
}

/** Without the feature, a `plan` must fail: a plan without effect would be a surprise. */
function withoutPlans(): Step<Decide> {
  return (next) => (asked) => {
    if (asked.plan === undefined) return next(asked);
    throw new TidegateError(
      "ERR_PLAN",
      'This limiter has no plans: import { plans } from "tidegate/core", and give it to limiterWith().',
    );
  };
}
