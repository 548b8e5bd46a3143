import { calendar } from "../features/calendar/feature.ts";
import { dimensions } from "../features/dimensions/feature.ts";
import { limiterHolds } from "../features/holds/limiter-holds.ts";
import { leases } from "../features/leases/feature.ts";
import { listeners } from "../features/listeners/feature.ts";
import { limiterLists } from "../features/lists/limiter-lists.ts";
import { notices } from "../features/notices/feature.ts";
import { optimistic } from "../features/optimistic/feature.ts";
import { limiterPlans } from "../features/plans/limiter-plans.ts";
import { replica } from "../features/replica/feature.ts";
import { roles } from "../features/roles/feature.ts";
import { shards } from "../features/shards/feature.ts";
import { sharedDenials } from "../features/shared-denials/feature.ts";
import { cluster } from "../store/cluster/cluster.ts";
import { clients } from "../store/redis/client-adapter.ts";

/** The features of `createLimiter()`. */
export const EVERY_FEATURE = {
  calendar,
  clients,
  cluster,
  dimensions,
  holds: limiterHolds,
  leases,
  lists: limiterLists,
  notices,
  optimistic,
  plans: limiterPlans,
  replica,
  roles,
  shards,
  sharedDenials,
  listeners,
};
