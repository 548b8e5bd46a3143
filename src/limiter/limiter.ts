import type { Steps } from "../decide/features.ts";
import { byTextOrDimensions } from "../decide/identify.ts";
import { createKit } from "../decide/kit.ts";
import type { Limiter } from "../decide/limiter.ts";
import { createCore, operationsOf } from "../decide/operations.ts";
import { withReserve } from "../features/holds/reserve.ts";
import { leaseSteps } from "../features/leases/step.ts";
import { underPlan } from "../features/plans/step.ts";
import { roleSteps } from "../features/roles/steps.ts";
import { inShards } from "../features/shards/step.ts";
import { throughSharedDenials } from "../features/shared-denials/step.ts";
import type { Store } from "../store/store.ts";
import type { LimiterSettings } from "./settings.ts";

/** The steps of every feature. */
const ALL_STEPS: Required<Steps<LimiterSettings>> = {
  roles: roleSteps,
  plans: underPlan,
  shards: inShards,
  sharedDenials: throughSharedDenials,
  leases: leaseSteps,
};

/** Makes a limiter with every feature from checked settings and a store that answers or fails in time. */
export function buildLimiter(store: Store, settings: LimiterSettings): Limiter {
  const core = createCore(createKit(store, settings), ALL_STEPS, byTextOrDimensions);
  return { ...operationsOf(core), ...withReserve(core) };
}
