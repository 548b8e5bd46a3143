import { ADAPTERS } from "./adapters.ts";
import { CLIENTS } from "./clients.ts";
import { COUNTING } from "./counting.ts";
import { DENIALS } from "./denials.ts";
import { GATEWAY } from "./gateway.ts";
import { KEYS } from "./keys.ts";
import { LEASES } from "./leases.ts";
import { LIMIT } from "./limit.ts";
import type { Mutant } from "./mutant.ts";
import { PROXY } from "./proxy.ts";
import { REQUESTS } from "./requests.ts";
import { SECRETS } from "./secrets.ts";
import { SETTINGS } from "./settings.ts";
import { SHARING } from "./sharing.ts";
import { STORE } from "./store.ts";
import { TIMERS } from "./timers.ts";

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
];
