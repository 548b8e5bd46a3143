import { createLeases } from "../lease/leases.ts";
import { take } from "./take.ts";

/** What decides where there are leases. Settings carry it, so that a bundle without `createLimiter()` does without. */
export interface Leasing {
  readonly createLeases: typeof createLeases;
  readonly take: typeof take;
}

export const LEASING: Leasing = { createLeases, take };
