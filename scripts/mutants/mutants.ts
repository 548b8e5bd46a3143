import { ADAPTERS } from "./catalog/adapters.ts";
import { ADMIN } from "./catalog/admin.ts";
import { AGENTS } from "./catalog/agents.ts";
import { BREAKERS } from "./catalog/breakers.ts";
import { BRIDGE } from "./catalog/bridge.ts";
import { BUCKET_SETTINGS } from "./catalog/bucket-settings.ts";
import { CLIENTS } from "./catalog/clients.ts";
import { CLOCKS } from "./catalog/clocks.ts";
import { COMMAND_LINE } from "./catalog/command-line.ts";
import { CONCURRENCY } from "./catalog/concurrency.ts";
import { COUNTING_FAILURES } from "./catalog/counting-failures.ts";
import { COUNTING } from "./catalog/counting.ts";
import { CREDENTIALS } from "./catalog/credentials.ts";
import { DASHBOARD } from "./catalog/dashboard.ts";
import { DENIALS } from "./catalog/denials.ts";
import { DOCTOR } from "./catalog/doctor.ts";
import { ENDPOINTS } from "./catalog/endpoints.ts";
import { FAILURES } from "./catalog/failures.ts";
import { FALLBACKS } from "./catalog/fallbacks.ts";
import { FEATURES } from "./catalog/features.ts";
import { FIELDS } from "./catalog/fields.ts";
import { FIGURES } from "./catalog/figures.ts";
import { FIRST_CONTACT } from "./catalog/first-contact.ts";
import { GATEWAY_THIN_PLACES } from "./catalog/gateway-thin-places.ts";
import { GATEWAY } from "./catalog/gateway.ts";
import { GIVEN_CLIENTS } from "./catalog/given-clients.ts";
import { GUARDS } from "./catalog/guards.ts";
import { HOLDS } from "./catalog/holds.ts";
import { INSPECTION } from "./catalog/inspection.ts";
import { KEYS } from "./catalog/keys.ts";
import { LATE_COSTS } from "./catalog/late-costs.ts";
import { LAYOUTS } from "./catalog/layouts.ts";
import { LEASE_ADVICE } from "./catalog/lease-advice.ts";
import { LEASE_CALLS } from "./catalog/lease-calls.ts";
import { LEASE_FLOOD } from "./catalog/lease-flood.ts";
import { LEASE_TERMS } from "./catalog/lease-terms.ts";
import { LEASES_BESIDE_EXACT } from "./catalog/leases-beside-exact.ts";
import { LEASES } from "./catalog/leases.ts";
import { LIMIT } from "./catalog/limit.ts";
import { LISTS } from "./catalog/lists.ts";
import { LIVE_STATES } from "./catalog/live-states.ts";
import { LIVE_THIN_PLACES } from "./catalog/live-thin-places.ts";
import { LIVE } from "./catalog/live.ts";
import { LLM } from "./catalog/llm.ts";
import { LUA_BUILD } from "./catalog/lua-build.ts";
import { MASTERS } from "./catalog/masters.ts";
import { METHODS } from "./catalog/methods.ts";
import { METRICS } from "./catalog/metrics.ts";
import { MIDDLEWARE } from "./catalog/middleware.ts";
import { MODES } from "./catalog/modes.ts";
import { NODE_SERVERS } from "./catalog/node-servers.ts";
import { OBSERVING } from "./catalog/observing.ts";
import { NOTICES } from "./catalog/notices.ts";
import { OPTIMISTIC } from "./catalog/optimistic.ts";
import { OPTION_TABLES } from "./catalog/option-tables.ts";
import { OPTIONS } from "./catalog/options.ts";
import { OUTAGES } from "./catalog/outages.ts";
import { OWN_PATHS } from "./catalog/own-paths.ts";
import { PARTIAL_OUTAGES } from "./catalog/partial-outages.ts";
import { PARTIAL_REPLIES } from "./catalog/partial-replies.ts";
import { PARTITIONS } from "./catalog/partitions.ts";
import { PARTS } from "./catalog/parts.ts";
import { PATHS } from "./catalog/paths.ts";
import { PLANS } from "./catalog/plans.ts";
import { PROGRAMS } from "./catalog/programs.ts";
import { PROXY } from "./catalog/proxy.ts";
import { REFUNDS_OF_STORES } from "./catalog/refunds-of-stores.ts";
import { REFUNDS } from "./catalog/refunds.ts";
import { REPORTING } from "./catalog/reporting.ts";
import { REQUEST_COSTS } from "./catalog/request-costs.ts";
import { REQUESTS } from "./catalog/requests.ts";
import { SECRETS } from "./catalog/secrets.ts";
import { SEGMENTS } from "./catalog/segments.ts";
import { SELECTION } from "./catalog/selection.ts";
import { SETTINGS } from "./catalog/settings.ts";
import { SHARDS } from "./catalog/shards.ts";
import { SHARED_STATES } from "./catalog/shared-states.ts";
import { SHARES } from "./catalog/shares.ts";
import { SHARING } from "./catalog/sharing.ts";
import { SOURCE_LISTS } from "./catalog/source-lists.ts";
import { SOURCES } from "./catalog/sources.ts";
import { SPREAD_CHARGES } from "./catalog/spread-charges.ts";
import { STORE } from "./catalog/store.ts";
import { SWAPS_AND_DRAINS } from "./catalog/swaps-and-drains.ts";
import { TELLING } from "./catalog/telling.ts";
import { TIMERS } from "./catalog/timers.ts";
import { TOGETHER } from "./catalog/together.ts";
import { TWINS } from "./catalog/twins.ts";
import { VARIABLES } from "./catalog/variables.ts";
import { WAITS } from "./catalog/waits.ts";
import { WINDOW_SETTINGS } from "./catalog/window-settings.ts";
import { WINDOWS } from "./catalog/windows.ts";
import type { Written } from "./written.ts";

export const WRITTEN: readonly Written[] = [
  ...COMMAND_LINE,
  ...CONCURRENCY,
  ...HOLDS,
  ...LATE_COSTS,
  ...COUNTING,
  ...COUNTING_FAILURES,
  ...BUCKET_SETTINGS,
  ...LAYOUTS,
  ...WAITS,
  ...SPREAD_CHARGES,
  ...PARTIAL_OUTAGES,
  ...LUA_BUILD,
  ...DENIALS,
  ...SHARING,
  ...TIMERS,
  ...LEASES,
  ...LEASE_TERMS,
  ...LEASES_BESIDE_EXACT,
  ...LEASE_ADVICE,
  ...LEASE_CALLS,
  ...LEASE_FLOOD,
  ...AGENTS,
  ...NOTICES,
  ...OPTIMISTIC,
  ...SHARDS,
  ...STORE,
  ...CLIENTS,
  ...SECRETS,
  ...KEYS,
  ...SOURCES,
  ...SOURCE_LISTS,
  ...SEGMENTS,
  ...REQUESTS,
  ...GATEWAY,
  ...PROGRAMS,
  ...PROXY,
  ...ADMIN,
  ...ADAPTERS,
  ...LIMIT,
  ...SETTINGS,
  ...PATHS,
  ...SELECTION,
  ...METHODS,
  ...FIELDS,
  ...OWN_PATHS,
  ...GATEWAY_THIN_PLACES,
  ...OPTIONS,
  ...OPTION_TABLES,
  ...VARIABLES,
  ...TOGETHER,
  ...TWINS,
  ...CREDENTIALS,
  ...MIDDLEWARE,
  ...GIVEN_CLIENTS,
  ...FAILURES,
  ...DOCTOR,
  ...ENDPOINTS,
  ...FIGURES,
  ...FIRST_CONTACT,
  ...BRIDGE,
  ...BREAKERS,
  ...OUTAGES,
  ...GUARDS,
  ...CLOCKS,
  ...INSPECTION,
  ...WINDOW_SETTINGS,
  ...WINDOWS,
  ...FALLBACKS,
  ...SHARED_STATES,
  ...SHARES,
  ...TELLING,
  ...REFUNDS,
  ...REFUNDS_OF_STORES,
  ...PARTITIONS,
  ...MASTERS,
  ...PARTS,
  ...PARTIAL_REPLIES,
  ...LISTS,
  ...PLANS,
  ...REPORTING,
  ...FEATURES,
  ...REQUEST_COSTS,
  ...MODES,
  ...LIVE,
  ...LIVE_STATES,
  ...LIVE_THIN_PLACES,
  ...SWAPS_AND_DRAINS,
  ...METRICS,
  ...NODE_SERVERS,
  ...OBSERVING,
  ...DASHBOARD,
  ...LLM,
];
