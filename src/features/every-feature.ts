import { clients } from "../store/redis/client-adapter.ts";
import { calendar } from "./calendar-feature.ts";
import { clusterFeature } from "./cluster-feature.ts";
import { dimensions } from "./dimensions-feature.ts";
import { slots } from "./holds/concurrency-option.ts";
import { holds } from "./holds/holds-feature.ts";
import { leases } from "./leases/leases-feature.ts";
import { listsFeature } from "./lists/lists-feature.ts";
import { notices } from "./notices-feature.ts";
import { optimisticFeature } from "./optimistic-feature.ts";
import { plansFeature } from "./plans-feature.ts";
import { regions } from "./regions-feature.ts";
import { roles } from "./roles/roles-feature.ts";
import { shardsFeature } from "./shards-feature.ts";
import { sharedDenials } from "./shared-denials-feature.ts";
import { everySource } from "./sources-feature.ts";

/** Every feature, for options that are data, as in the rules of a gateway: a word brings no code with it. */
export const EVERY_FEATURE = {
  calendar,
  clients,
  cluster: clusterFeature,
  dimensions,
  holds,
  leases,
  lists: listsFeature,
  notices,
  optimistic: optimisticFeature,
  plans: plansFeature,
  regions,
  roles,
  shards: shardsFeature,
  sharedDenials,
  slots,
  sources: everySource,
};
