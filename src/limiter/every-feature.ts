import { calendar } from "../features/calendar/feature.ts";
import { dimensions } from "../features/dimensions/feature.ts";
import { holds } from "../features/holds/of-limiter.ts";
import { leases } from "../features/leases/feature.ts";
import { listeners } from "../features/listeners/feature.ts";
import { lists } from "../features/lists/of-limiter.ts";
import { notices } from "../features/notices/feature.ts";
import { optimistic } from "../features/optimistic/feature.ts";
import { plans } from "../features/plans/of-limiter.ts";
import { replica } from "../features/replica/feature.ts";
import { roles } from "../features/roles/feature.ts";
import { shards } from "../features/shards/feature.ts";
import { sharedDenials } from "../features/shared-denials/feature.ts";
import { cluster } from "../store/cluster/cluster.ts";
import { clients } from "../store/redis/given-client.ts";

/** The features of `createLimiter()`. */
export const EVERY_FEATURE = {
  calendar,
  clients,
  cluster,
  dimensions,
  holds,
  leases,
  lists,
  notices,
  optimistic,
  plans,
  replica,
  roles,
  shards,
  sharedDenials,
  listeners,
};
