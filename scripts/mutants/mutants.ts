import { ADAPTERS } from "./adapters.ts";
import { BREAKERS } from "./breakers.ts";
import { BRIDGE } from "./bridge.ts";
import { CLIENTS } from "./clients.ts";
import { CLOCKS } from "./clocks.ts";
import { COUNTING } from "./counting.ts";
import { CREDENTIALS } from "./credentials.ts";
import { DENIALS } from "./denials.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { FAILURES } from "./failures.ts";
import { FALLBACKS } from "./fallbacks.ts";
import { FIELDS } from "./fields.ts";
import { GATEWAY } from "./gateway.ts";
import { GIVEN_CLIENTS } from "./given-clients.ts";
import { GUARDS } from "./guards.ts";
import { INSPECTION } from "./inspection.ts";
import { KEYS } from "./keys.ts";
import { LEASES } from "./leases.ts";
import { LIMIT } from "./limit.ts";
import { METHODS } from "./methods.ts";
import { MIDDLEWARE } from "./middleware.ts";
import type { Mutant } from "./mutant.ts";
import { OPTIONS } from "./options.ts";
import { OUTAGES } from "./outages.ts";
import { OWN_PATHS } from "./own-paths.ts";
import { PATHS } from "./paths.ts";
import { PROXY } from "./proxy.ts";
import { REQUESTS } from "./requests.ts";
import { SECRETS } from "./secrets.ts";
import { SELECTION } from "./selection.ts";
import { SETTINGS } from "./settings.ts";
import { SHARING } from "./sharing.ts";
import { STORE } from "./store.ts";
import { TIMERS } from "./timers.ts";
import { TWINS } from "./twins.ts";
import { VARIABLES } from "./variables.ts";
import { WINDOWS } from "./windows.ts";

export const MUTANTS: readonly Mutant[] = [
  ...COUNTING,
  ...DENIALS,
  ...SHARING,
  ...TIMERS,
  ...LEASES,
  ...STORE,
  ...CLIENTS,
  ...SECRETS,
  ...KEYS,
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
  ...VARIABLES,
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
];
