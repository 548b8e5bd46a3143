import { ADAPTERS } from "./catalog/adapters.ts";
import { BREAKERS } from "./catalog/breakers.ts";
import { BRIDGE } from "./catalog/bridge.ts";
import { CLIENTS } from "./catalog/clients.ts";
import { CLOCKS } from "./catalog/clocks.ts";
import { COUNTING } from "./catalog/counting.ts";
import { CREDENTIALS } from "./catalog/credentials.ts";
import { DENIALS } from "./catalog/denials.ts";
import { ENDPOINTS } from "./catalog/endpoints.ts";
import { FAILURES } from "./catalog/failures.ts";
import { FALLBACKS } from "./catalog/fallbacks.ts";
import { FIELDS } from "./catalog/fields.ts";
import { GATEWAY } from "./catalog/gateway.ts";
import { GIVEN_CLIENTS } from "./catalog/given-clients.ts";
import { GUARDS } from "./catalog/guards.ts";
import { INSPECTION } from "./catalog/inspection.ts";
import { KEPT_UNITS } from "./catalog/kept-units.ts";
import { KEYS } from "./catalog/keys.ts";
import { LEASES } from "./catalog/leases.ts";
import { LIMIT } from "./catalog/limit.ts";
import { LISTS } from "./catalog/lists.ts";
import { LUA_BUILD } from "./catalog/lua-build.ts";
import { MASTERS } from "./catalog/masters.ts";
import { METHODS } from "./catalog/methods.ts";
import { MIDDLEWARE } from "./catalog/middleware.ts";
import { MODES } from "./catalog/modes.ts";
import { OPTION_TABLES } from "./catalog/option-tables.ts";
import { OPTIONS } from "./catalog/options.ts";
import { OUTAGES } from "./catalog/outages.ts";
import { OWN_PATHS } from "./catalog/own-paths.ts";
import { PARTITIONS } from "./catalog/partitions.ts";
import { PATHS } from "./catalog/paths.ts";
import { PLANS } from "./catalog/plans.ts";
import { PROXY } from "./catalog/proxy.ts";
import { REFUNDS } from "./catalog/refunds.ts";
import { REQUEST_COSTS } from "./catalog/request-costs.ts";
import { REQUESTS } from "./catalog/requests.ts";
import { SECRETS } from "./catalog/secrets.ts";
import { SELECTION } from "./catalog/selection.ts";
import { SETTINGS } from "./catalog/settings.ts";
import { SHARDS } from "./catalog/shards.ts";
import { SHARES } from "./catalog/shares.ts";
import { SHARING } from "./catalog/sharing.ts";
import { SOURCES } from "./catalog/sources.ts";
import { STORE } from "./catalog/store.ts";
import { TELLING } from "./catalog/telling.ts";
import { TIMERS } from "./catalog/timers.ts";
import { TOGETHER } from "./catalog/together.ts";
import { TWINS } from "./catalog/twins.ts";
import { VARIABLES } from "./catalog/variables.ts";
import { WINDOWS } from "./catalog/windows.ts";
import type { Mutant } from "./mutant.ts";

export const MUTANTS: readonly Mutant[] = [
  ...COUNTING,
  ...KEPT_UNITS,
  ...LUA_BUILD,
  ...DENIALS,
  ...SHARING,
  ...TIMERS,
  ...LEASES,
  ...SHARDS,
  ...STORE,
  ...CLIENTS,
  ...SECRETS,
  ...KEYS,
  ...SOURCES,
  ...REQUESTS,
  ...GATEWAY,
  ...PROXY,
  ...ADAPTERS,
  ...LIMIT,
  ...SETTINGS,
  ...PATHS,
  ...SELECTION,
  ...METHODS,
  ...FIELDS,
  ...OWN_PATHS,
  ...OPTIONS,
  ...OPTION_TABLES,
  ...VARIABLES,
  ...TOGETHER,
  ...TWINS,
  ...CREDENTIALS,
  ...MIDDLEWARE,
  ...GIVEN_CLIENTS,
  ...FAILURES,
  ...ENDPOINTS,
  ...BRIDGE,
  ...BREAKERS,
  ...OUTAGES,
  ...GUARDS,
  ...CLOCKS,
  ...INSPECTION,
  ...WINDOWS,
  ...FALLBACKS,
  ...SHARES,
  ...TELLING,
  ...REFUNDS,
  ...MASTERS,
  ...LISTS,
  ...PARTITIONS,
  ...PLANS,
  ...REQUEST_COSTS,
  ...MODES,
];
