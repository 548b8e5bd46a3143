import { ADAPTERS } from "./catalog/adapters.ts";
import { ADMIN } from "./catalog/admin.ts";
import { AGENTS } from "./catalog/agents.ts";
import { ALGORITHMS } from "./catalog/algorithms.ts";
import { CALENDAR } from "./catalog/calendar.ts";
import { CLUSTER } from "./catalog/cluster.ts";
import { DECIDE } from "./catalog/decide.ts";
import { DENIALS } from "./catalog/denials.ts";
import { FEATURES } from "./catalog/features.ts";
import { GATEWAY } from "./catalog/gateway.ts";
import { HOLDS } from "./catalog/holds.ts";
import { JWT } from "./catalog/jwt.ts";
import { LEASES } from "./catalog/leases.ts";
import { LEDGER } from "./catalog/ledger.ts";
import { METRICS } from "./catalog/metrics.ts";
import { NOTICES } from "./catalog/notices.ts";
import { OPTIMISTIC } from "./catalog/optimistic.ts";
import { OPTIONS } from "./catalog/options.ts";
import { OUTAGE } from "./catalog/outage.ts";
import { PARTITION } from "./catalog/partition.ts";
import { PATHS } from "./catalog/paths.ts";
import { PROGRAMS } from "./catalog/programs.ts";
import { REDIS } from "./catalog/redis.ts";
import { REGIONS } from "./catalog/regions.ts";
import { STORE } from "./catalog/store.ts";
import type { Written } from "./written.ts";

export const WRITTEN: readonly Written[] = [
  ...ADAPTERS,
  ...ADMIN,
  ...ALGORITHMS,
  ...CALENDAR,
  ...CLUSTER,
  ...DECIDE,
  ...DENIALS,
  ...FEATURES,
  ...GATEWAY,
  ...HOLDS,
  ...JWT,
  ...LEASES,
  ...LEDGER,
  ...METRICS,
  ...AGENTS,
  ...NOTICES,
  ...OPTIMISTIC,
  ...OPTIONS,
  ...OUTAGE,
  ...PARTITION,
  ...PATHS,
  ...PROGRAMS,
  ...REDIS,
  ...REGIONS,
  ...STORE,
];
