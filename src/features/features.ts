import type { LOGS } from "../algorithms/sliding-window-log.ts";
import type { clients } from "../store/redis/client-adapter.ts";
import type { calendar } from "./calendar-feature.ts";
import type { clusterFeature } from "./cluster-feature.ts";
import type { Dimensions } from "./dimensions-feature.ts";
import type { slots } from "./holds/concurrency-option.ts";
import type { holds } from "./holds/holds-feature.ts";
import type { jwtFeature } from "./jwt/jwt-feature.ts";
import type { leases } from "./leases/leases-feature.ts";
import type { listsFeature } from "./lists/lists-feature.ts";
import type { notices } from "./notices-feature.ts";
import type { optimisticFeature } from "./optimistic-feature.ts";
import type { plansFeature } from "./plans-feature.ts";
import type { regions } from "./regions-feature.ts";
import type { roles } from "./roles/roles-feature.ts";
import type { shardsFeature } from "./shards-feature.ts";
import type { sharedDenials } from "./shared-denials-feature.ts";
import type { Sources } from "./sources-feature.ts";

/**
 * The code that acts on options, by its names. It comes with the values of options, or, where options are data, from
 * `every-feature.ts`. This file has only types, so that a bundle contains the features that it uses.
 */
export interface Features {
  readonly calendar?: typeof calendar;
  readonly clients?: typeof clients;
  readonly cluster?: typeof clusterFeature;
  readonly dimensions?: Dimensions;
  readonly holds?: typeof holds;
  readonly jwt?: typeof jwtFeature;
  readonly leases?: typeof leases;
  readonly lists?: typeof listsFeature;
  readonly logs?: typeof LOGS;
  readonly notices?: typeof notices;
  readonly optimistic?: typeof optimisticFeature;
  readonly plans?: typeof plansFeature;
  readonly regions?: typeof regions;
  readonly roles?: typeof roles;
  readonly shards?: typeof shardsFeature;
  readonly sharedDenials?: typeof sharedDenials;
  readonly slots?: typeof slots;
  readonly sources?: Sources;
}
