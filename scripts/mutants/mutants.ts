import { ADAPTERS } from "./adapters.ts";
import { CLIENTS } from "./clients.ts";
import { COUNTING } from "./counting.ts";
import { DENIALS } from "./denials.ts";
import { GATEWAY } from "./gateway.ts";
import { KEYS } from "./keys.ts";
import { LEASES } from "./leases.ts";
import type { Mutant } from "./mutant.ts";
import { REQUESTS } from "./requests.ts";
import { STORE } from "./store.ts";
import { TIME } from "./time.ts";

export const MUTANTS: readonly Mutant[] = [
  ...COUNTING,
  ...DENIALS,
  ...TIME,
  ...LEASES,
  ...STORE,
  ...CLIENTS,
  ...KEYS,
  ...REQUESTS,
  ...GATEWAY,
  ...ADAPTERS,
];
