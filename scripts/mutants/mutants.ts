import { COUNTING } from "./counting.ts";
import { DENIALS } from "./denials.ts";
import { LEASES } from "./leases.ts";
import type { Mutant } from "./mutant.ts";
import { REQUESTS } from "./requests.ts";
import { STORE } from "./store.ts";

export const MUTANTS: readonly Mutant[] = [
  ...COUNTING,
  ...DENIALS,
  ...LEASES,
  ...STORE,
  ...REQUESTS,
];
